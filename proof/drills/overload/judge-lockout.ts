// What wrong secrets from elsewhere must not do to the owner of the right one.
import type { FloodCounts } from './flood-senders.ts'

export type RightSecrets = {
  /** The times from when a token was due until it was there, in ms; infinite where none came. */
  readonly times: number[]
  /** Answers before the token, by status; 0 for none. */
  readonly refusals: Map<number, number>
}

const TOKEN_MS_MAX = 1000
/** Fewer would show nothing. */
const TIMES_MIN = 10
/** What a wrong secret may be answered with. */
const REFUSED = new Set([401, 429, 503])

/** What is wrong, a line each; none where nobody was locked out. */
export const judgeLockout = (
  { times, refusals }: RightSecrets,
  { statuses }: Pick<FloodCounts, 'statuses'>,
): readonly string[] => {
  const slow = times.filter(time => time > TOKEN_MS_MAX).length
  const denied = [401, 429].reduce((sum, status) => sum + (refusals.get(status) ?? 0), 0)
  const unexpected = [...statuses].filter(([status]) => !REFUSED.has(status))
  return [
    ...(times.length < TIMES_MIN ? [`only ${times.length} right secrets: nothing was tested`] : []),
    ...(slow === 0 ? [] : [`${slow} of ${times.length} right secrets got no token within 1 s`]),
    ...(denied === 0 ? [] : [`the right secret was answered ${denied} times with 401 or 429`]),
    ...unexpected.map(([status, count]) => `${count} wrong secrets were answered with ${status}`),
  ]
}
