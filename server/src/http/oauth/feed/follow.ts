// GET /oauth/revocation-feed/changes and …/stream: those who wait for what is new.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation, PathOf, QueryOf } from '../../../../../api/operation.ts'
import {
  type followFeed,
  type readFeedChanges,
  REVOCATIONS_TYPE,
  STREAM_TYPE,
} from '../../../../../api/revocation-feed.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import {
  type Changes,
  judgeStanding,
  lookEach,
  readChanges,
  type Standing,
} from '../../../operations/feed/answer-changes.ts'
import type { Follower } from '../../../operations/feed/authenticate-followers.ts'
import type { RangeReader } from '../../../operations/feed/read-range.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { GROUP_MAX } from '../../../domain/one-by-one.ts'
import { inGroups } from '../../../operations/group.ts'
import { noteWish } from '../../wire/arrival.ts'
import type { Wire } from '../../wire/wire.ts'
import type { Followers } from './followers.ts'
import { heartbeatEvent } from './stream-follower.ts'
import type { Waited } from './waiting-follower.ts'

export type Asking<Row extends Operation> = FastifyRequest<{ Querystring: QueryOf<Row>; Params: PathOf<Row> }>

export type Handle<Row extends Operation> = (
  request: Asking<Row>,
  reply: FastifyReply,
  follower: Follower & { readonly until: MonotonicMilliseconds },
) => Promise<void>

export const sendDocument = (reply: FastifyReply, text: string): void => void reply.type(REVOCATIONS_TYPE).send(text)

type Following = {
  readonly followers: Followers
  readonly ranges: RangeReader
  readonly recognize: (request: FastifyRequest) => Promise<OrRefusal<Follower>>
}

/** Answers by a look at the store that begins once the request has arrived. */
const makeAsk = ({ ports, inTime, refuser, metrics }: Wire, ranges: RangeReader) => {
  // All of a group arrived before the look by which it is answered.
  const look = inGroups((requests: readonly Standing[]) => inTime(lookEach(ports, requests)), {
    groupMax: GROUP_MAX,
    defer: setImmediate,
    timing: ports.timing,
  })

  const ask = async (standing: Standing, by: string): Promise<OrRefusal<Changes>> => {
    const looked = await look(standing)
    return isRefused(looked) ? looked : readChanges(ranges, standing, looked, by)
  }

  const answer = (reply: FastifyReply, text: string): void => {
    metrics.add('mintmark_feed_documents_total', { kind: 'changes' })
    sendDocument(reply, text)
  }

  const askAndAnswer = async (reply: FastifyReply, standing: Standing, by: string): Promise<void> => {
    const changes = await inTime(ask(standing, by))
    if (isRefused(changes)) return void refuser.refuse(reply, changes.refusal)
    answer(reply, changes.text)
  }
  return { ask, answer, askAndAnswer }
}

export const makeChangesHandler = (wire: Wire, following: Following): Handle<typeof readFeedChanges> => {
  const { ports, inTime, refuser } = wire
  const { followers, recognize, ranges } = following
  const { ask, answer, askAndAnswer } = makeAsk(wire, ranges)

  type Stay = {
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly standing: Standing
    readonly by: string
  }

  /** A document is sent before this returns. */
  const finish = async ({ request, reply, standing, by }: Stay, waited: Waited): Promise<void> => {
    if (waited.outcome === 'document') return answer(reply, waited.text)
    if (waited.outcome === 'gone') return void reply.hijack()
    if (waited.outcome === 'not_permitted') {
      const follower = await recognize(request)
      if (isRefused(follower)) return void refuser.refuse(reply, follower.refusal)
    }
    return askAndAnswer(reply, standing, by)
  }

  return async (request, reply, { caller, keyHash, until }) => {
    const { epoch, position, wait = 0 } = request.query
    const first = await inTime(ask({ epoch, position }, keyHash), until)
    if (isRefused(first)) return void refuser.refuse(reply, first.refusal)
    if (!first.isEmpty || wait === 0) return answer(reply, first.text)
    // Its connection will not close once more.
    if (reply.raw.destroyed) return void reply.hijack()
    const standing = { epoch: first.head.epoch, position }
    const arrival = { entry: { ...standing, keyHash }, response: reply.raw, apiKeyId: caller.id }
    const beganAt = ports.monotonic()
    return new Promise<void>((resolve, reject) => {
      const entered = followers.wait(arrival, 1000 * wait, waited => {
        noteWish(request.raw, ports.monotonic() - beganAt)
        finish({ request, reply, standing, by: keyHash }, waited).then(resolve, reject)
      })
      if (!isRefused(entered)) return
      void refuser.refuse(reply, entered.refusal)
      resolve()
    })
  }
}

/** Takes the answer out of Fastify's hands, and sends its headers. */
export const openStream = (reply: FastifyReply): void => {
  void reply.header('content-type', STREAM_TYPE).header('x-accel-buffering', 'no').hijack()
  for (const [header, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(header, value)
  }
  reply.raw.flushHeaders()
}

export const makeStreamHandler = (wire: Wire, { followers }: Following): Handle<typeof followFeed> => {
  const { ports, inTime, refuser } = wire
  return async (request, reply, { caller, keyHash, until }) => {
    const { epoch, position } = request.query
    const head = await inTime(ports.feed.head(), until)
    const refused = judgeStanding({ epoch, position }, head)
    if (refused !== undefined) return void refuser.refuse(reply, refused.refusal)
    const { raw } = reply
    if (raw.destroyed) return void reply.hijack()
    if (request.method === 'HEAD') {
      openStream(reply)
      return void raw.end()
    }
    const arrival = { entry: { epoch: head.epoch, position, keyHash }, response: raw, apiKeyId: caller.id }
    const beganAt = ports.monotonic()
    raw.once('close', () => noteWish(request.raw, ports.monotonic() - beganAt))
    const entered = followers.stream(arrival, () => {
      openStream(reply)
      raw.write(heartbeatEvent(head))
    })
    if (isRefused(entered)) void refuser.refuse(reply, entered.refusal)
  }
}
