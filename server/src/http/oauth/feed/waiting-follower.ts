// A request for changes that waits for the first of them.
import type { ServerResponse } from 'node:http'
import type { Entry, Follower, News } from './follower.ts'

/**
 * `document`: a compact JWS with changes after its position. `ask`: the changes are to be read anew, by a look at the
 * store that begins now. `gone`: nobody listens any more.
 */
export type Waited =
  | { readonly outcome: 'document'; readonly text: string }
  | { readonly outcome: 'ask' | 'not_permitted' | 'gone' }

type Waiting = {
  readonly entry: Entry
  readonly response: ServerResponse
  readonly waitMs: number
  /** Called once, and sends the answer before it returns where that is a document. */
  readonly settle: (waited: Waited) => void
}

const ASK = { outcome: 'ask' } as const

export const makeWaitingFollower = ({ entry, response, waitMs, settle }: Waiting): Follower => {
  const { keyHash, epoch, position } = entry
  let isSettled = false

  const finish = (waited: Waited): void => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    response.off('close', leave)
    settle(waited)
  }
  const leave = (): void => finish({ outcome: 'gone' })
  const timer = setTimeout(() => finish(ASK), waitMs)
  response.once('close', leave)

  return {
    kind: 'changes',
    keyHash,
    endsAt: Number.POSITIVE_INFINITY,
    serve: ({ confirmed, reached, recent }: News) => {
      const head = confirmed()?.head
      if (head === undefined) return
      if (head.epoch !== epoch) return finish(ASK)
      if (position >= (reached() ?? 0)) return
      const change = recent.after(position)
      finish(change === undefined ? ASK : { outcome: 'document', text: change.text })
    },
    end: reason => finish(reason === 'not_permitted' ? { outcome: reason } : ASK),
  }
}
