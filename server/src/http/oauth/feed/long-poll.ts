// GET /oauth/revocation-feed/changes: the facts after a position, or a wait for the first of them.
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type readFeedChanges, REVOCATIONS_TYPE } from '../../../../../api/revocation-feed.ts'
import type { FeedPosition } from '../../../../../api/values/feed.ts'
import { GROUP_MAX } from '../../../domain/one-by-one.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import type { Sha256 } from '../../../domain/text/text.ts'
import { type Changes, lookEach, readChanges } from '../../../operations/feed/answer-changes.ts'
import type { FeedCaller } from '../../../operations/feed/authenticate-followers.ts'
import type { RangeReader } from '../../../operations/feed/read-range.ts'
import { inGroups } from '../../../operations/group.ts'
import type { LabelsOf, Metrics } from '../../../ports/metrics.ts'
import { noteWish } from '../../wire/answer-deadline.ts'
import type { RequestOf } from '../../wire/describe.ts'
import type { Wire } from '../../wire/wire.ts'
import type { Follower, Followers, Recognized } from './followers.ts'

type Request = RequestOf<typeof readFeedChanges>

type Kind = LabelsOf<'mintmark_feed_documents_total'>['kind']

/** Answers by a signed document, and counts it. */
export const sendDocument = (metrics: Metrics, reply: FastifyReply, kind: Kind, text: string): void => {
  metrics.add('mintmark_feed_documents_total', { kind })
  void reply.type(REVOCATIONS_TYPE).send(text)
}

/**
 * `document`: a compact JWS with changes after its position. `ask`: the changes are to be read anew, by a look at the
 * store that begins now. `gone`: nobody listens any more.
 */
type Waited =
  | { readonly outcome: 'document'; readonly text: string }
  | { readonly outcome: 'ask' | 'not_permitted' | 'gone' }

type Waiting = {
  readonly from: FeedPosition
  readonly keyHash: Sha256
  readonly response: ServerResponse
  readonly waitMs: number
  /** Called once, and sends the answer before it returns where that is a document. */
  readonly settle: (waited: Waited) => void
}

const ASK = { outcome: 'ask' } as const

const makeWaitingFollower = ({ from, keyHash, response, waitMs, settle }: Waiting): Follower => {
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
    serve: news => {
      const reached = news.reached()
      if (reached === undefined) return
      if (reached.epoch !== from.epoch) return finish(ASK)
      if (from.position >= reached.position) return
      const change = news.recent.after(from.position)
      finish(change === undefined ? ASK : { outcome: 'document', text: change.text })
    },
    end: reason => finish(reason === 'not_permitted' ? { outcome: reason } : ASK),
  }
}

type Parts = {
  readonly followers: Followers
  readonly ranges: RangeReader
  readonly recognize: (request: FastifyRequest) => Promise<OrRefusal<FeedCaller>>
}

export const makeChangesHandler = (wire: Wire, { followers, ranges, recognize }: Parts) => {
  const { ports, inTime, refuser, metrics } = wire
  // All of a group arrived before the look by which it is answered.
  const look = inGroups((requests: readonly FeedPosition[]) => inTime(lookEach(ports, requests)), {
    groupMax: GROUP_MAX,
    defer: setImmediate,
    timing: ports.timing,
  })

  const ask = async (from: FeedPosition, by: Sha256): Promise<OrRefusal<Changes>> => {
    const looked = await look(from)
    return isRefused(looked) ? looked : readChanges(ranges, from, looked, by)
  }

  /** Answers once the wait is over. A document is sent before this returns. */
  const answer = async (request: Request, reply: FastifyReply, keyHash: Sha256, waited: Waited): Promise<void> => {
    if (waited.outcome === 'document') return sendDocument(metrics, reply, 'changes', waited.text)
    if (waited.outcome === 'gone') return void reply.hijack()
    if (waited.outcome === 'not_permitted') {
      const caller = await recognize(request)
      if (isRefused(caller)) return void refuser.refuse(reply, caller.refusal)
    }
    const changes = await inTime(ask(request.query, keyHash))
    if (isRefused(changes)) return void refuser.refuse(reply, changes.refusal)
    sendDocument(metrics, reply, 'changes', changes.text)
  }

  return async (request: Request, reply: FastifyReply, caller: Recognized): Promise<void> => {
    const { wait = 0, ...from } = request.query
    const { keyHash, until } = caller
    const first = await inTime(ask(from, keyHash), until)
    if (isRefused(first)) return void refuser.refuse(reply, first.refusal)
    if (!first.isEmpty || wait === 0) return sendDocument(metrics, reply, 'changes', first.text)
    const { raw: response } = reply
    // Its connection will not close once more.
    if (response.destroyed) return void reply.hijack()
    const beganAt = ports.monotonic()
    return new Promise((resolve, reject) => {
      const entered = followers.enter(caller, response, leave => {
        const settle = (waited: Waited): void => {
          leave()
          noteWish(request.raw, ports.monotonic() - beganAt)
          answer(request, reply, keyHash, waited).then(resolve, reject)
        }
        return makeWaitingFollower({ from, keyHash, response, waitMs: 1000 * wait, settle })
      })
      if (!isRefused(entered)) return
      void refuser.refuse(reply, entered.refusal)
      resolve()
    })
  }
}
