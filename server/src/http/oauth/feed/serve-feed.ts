// The revocation feed over HTTP (docs/revocation-feed.md): its head, the snapshot, segments, changes, and the stream.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnswerOf, Operation, PathOf, QueryOf } from '../../../../../api/operation.ts'
import * as api from '../../../../../api/revocation-feed.ts'
import { parseEpoch, parseRange } from '../../../../../api/values/feed.ts'
import { isRefused, type OrRefusal, refuse } from '../../../domain/refusal.ts'
import { judgeStanding } from '../../../operations/feed/answer-changes.ts'
import { authenticateFollowers, FEED, type Follower } from '../../../operations/feed/authenticate-followers.ts'
import { makeRangeReader, makeRangeReaderOfOne, type RangeReader } from '../../../operations/feed/read-range.ts'
import { makeSnapshots } from '../../../operations/feed/read-snapshot.ts'
import { SIGNATURE_KEPT_SECONDS } from '../../../operations/feed/sign-documents.ts'
import { GROUP_MAX } from '../../../domain/one-by-one.ts'
import { inGroups } from '../../../operations/group.ts'
import type { Introspector } from '../../../operations/authentication/authorize-introspector.ts'
import { makeCallerNote } from '../../notes/request-note.ts'
import { answerBy } from '../../wire/answer-deadline.ts'
import { routeOf } from '../../wire/describe.ts'
import type { Wire } from '../../wire/wire.ts'
import { readApiKey } from '../present-api-key.ts'
import { makeFollowers } from './followers.ts'
import { serveReports } from './report-position.ts'
import { type Handle, makeChangesHandler, makeStreamHandler, sendDocument } from './follow.ts'

/** Recognizes the callers of a group together. */
const makeRecognizer = ({ ports, inTime, credentials }: Wire) => {
  const authenticate = inGroups((requests: readonly Introspector[]) => inTime(authenticateFollowers(ports, requests)), {
    groupMax: GROUP_MAX,
    defer: setImmediate,
    timing: ports.timing,
  })
  return async (request: FastifyRequest): Promise<OrRefusal<Follower>> => {
    const presented = readApiKey(request, FEED)
    if (isRefused(presented)) return presented
    const onCaller = makeCallerNote(request.raw)
    const follower = await authenticate({ ...presented, onCaller })
    if (!isRefused(follower)) credentials.add(request.headers)
    return follower
  }
}

const makeHeadHandler = ({ ports, inTime }: Wire): Handle<typeof api.readFeedHead> => {
  return async (_request, reply, { until }) => {
    const { epoch, position, now } = await inTime(ports.feed.head(), until)
    const answer: AnswerOf<typeof api.readFeedHead> = { epoch, position, now }
    void reply.send(answer)
  }
}

const makeSnapshotHandler = ({ ports, inTime, refuser, metrics }: Wire): Handle<typeof api.readFeedSnapshot> => {
  const readSnapshot = makeSnapshots(ports)
  return async (request, reply, { until }) => {
    const { text, head } = await inTime(readSnapshot(), until)
    const refused = judgeStanding({ epoch: request.query.epoch ?? head.epoch, position: 0 }, head)
    if (refused !== undefined) return void refuser.refuse(reply, refused.refusal)
    metrics.add('mintmark_feed_documents_total', { kind: 'snapshot' })
    sendDocument(reply, text)
  }
}

const NO_SEGMENT = refuse('not_found', 'The feed has no such segment: take those that the snapshot names.')

const makeSegmentHandler = (wire: Wire, ranges: RangeReader): Handle<typeof api.readFeedSegment> => {
  const { ports, inTime, refuser, metrics } = wire

  const read = async (
    path: PathOf<typeof api.readFeedSegment>,
    by: string,
  ): Promise<OrRefusal<{ readonly text: string }>> => {
    const [epoch, range] = [parseEpoch(path.epoch), parseRange(path.range)]
    if (epoch === undefined || range === undefined) return NO_SEGMENT
    const head = await ports.feed.head()
    const refused = judgeStanding({ epoch, position: range.to }, head)
    if (refused !== undefined) return refused
    const document = await ranges.read({ epoch, ...range }, by)
    if (document === 'epoch_changed')
      return refuse('epoch_changed', 'The feed has another epoch: begin with the snapshot.')
    return document.to === range.to ? document : NO_SEGMENT
  }

  return async (request, reply, { keyHash, until }) => {
    const segment = await inTime(read(request.params, keyHash), until)
    if (isRefused(segment)) return void refuser.refuse(reply, segment.refusal)
    metrics.add('mintmark_feed_documents_total', { kind: 'segment' })
    void reply.header('cache-control', `private, immutable, max-age=${SIGNATURE_KEPT_SECONDS}`)
    sendDocument(reply, segment.text)
  }
}

/** Registers them. Followers end as the server closes: they would keep it open. */
export const serveFeed = (app: FastifyInstance, wire: Wire): void => {
  const { ports, refuser, inTime, metrics, mayStay, reportFeedFault, feed } = wire
  const ranges = makeRangeReader(ports)
  // What is new waits for no range that somebody else asks for.
  const newest = makeRangeReaderOfOne(ports)
  const followers = makeFollowers({
    ports,
    ranges,
    newest,
    inTime,
    metrics,
    mayStay,
    onFault: reportFeedFault,
    ...feed,
  })
  app.addHook('preClose', done => {
    followers.close()
    done()
  })
  const recognize = makeRecognizer(wire)
  const following = { followers, recognize, ranges }

  const serve = <Row extends Operation>(row: Row, handle: Handle<Row>): void => {
    app.route<{ Querystring: QueryOf<Row>; Params: PathOf<Row> }>({
      ...routeOf(row),
      handler: async (request, reply): Promise<void> => {
        // Also of what comes after the caller is recognized, whatever that took.
        const until = answerBy(ports, request.raw)
        const follower = await inTime(recognize(request), until)
        if (isRefused(follower)) return void refuser.refuse(reply, follower.refusal)
        return handle(request, reply, { ...follower, until })
      },
    })
  }
  serve(api.readFeedHead, makeHeadHandler(wire))
  serve(api.readFeedSnapshot, makeSnapshotHandler(wire))
  serve(api.readFeedSegment, makeSegmentHandler(wire, ranges))
  serve(api.readFeedChanges, makeChangesHandler(wire, following))
  serve(api.followFeed, makeStreamHandler(wire, following))
  serveReports(app, wire, recognize)
}
