// When the key that signs now is followed by the next one.
import type { ShowSigningKeyAnswer } from '../../../packages/client/src/index.ts'

type Key = Pick<ShowSigningKeyAnswer, 'state' | 'algorithm' | 'rotates_at' | 'rotation_requested' | 'ready_in_seconds'>

const MS = 1_000

/** Not before verifiers have the next one. Null: when an operator rotates; undefined: the key that signs is not among these. */
export const rotationOf = (keys: readonly Key[], nowMs: number): string | null | undefined => {
  const [current, next] = ['current', 'next'].map(state => keys.find(key => key.state === state))
  if (current === undefined) return undefined
  const isWanted = next !== undefined && (next.rotation_requested || next.algorithm !== current.algorithm)
  if (!isWanted && current.rotates_at === null) return null
  const dueMs = isWanted || current.rotates_at === null ? nowMs : Date.parse(current.rotates_at)
  return new Date(Math.max(dueMs, nowMs + MS * (next?.ready_in_seconds ?? 0))).toISOString()
}
