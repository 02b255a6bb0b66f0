// The button that stops what moves by itself, in every list at once.
import { liveChoice } from '../reading/live-choice.ts'

export const Pause = () => {
  const live = liveChoice.use()
  return (
    <button
      type="button"
      aria-pressed={live === 'paused'}
      onClick={() => liveChoice.set(live === 'live' ? 'paused' : 'live')}
    >
      Pause
    </button>
  )
}
