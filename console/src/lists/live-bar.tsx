// What is new in a list, on a button that shows it; and the pause.
import type { Changes } from '../reading/changes.ts'
import { Pause } from '../parts/pause.tsx'

const formatChanges = ({ added, isMore, gone }: Changes): string =>
  [added > 0 ? `${added}${isMore ? '+' : ''} new` : '', gone.size > 0 ? `${gone.size} gone` : '']
    .filter(part => part !== '')
    .join(', ')

export const LiveBar = ({ changes, onShow }: { readonly changes: Changes; readonly onShow: () => void }) => {
  const text = formatChanges(changes)
  return (
    <div className="live-bar">
      <span role="status">
        {text !== '' && (
          <button type="button" className="new" onClick={onShow}>
            {text}
          </button>
        )}
      </span>
      <Pause />
    </div>
  )
}
