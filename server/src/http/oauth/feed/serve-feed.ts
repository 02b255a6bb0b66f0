// The revocation feed over HTTP (docs/apis/feed-protocol.md): its routes, the head, the snapshot, segments, and reports of followers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerOf, BodyOf, Operation, PathOf, QueryOf } from '../../../../../api/operation.ts'
import * as api from '../../../../../api/revocation-feed.ts'
import { parseEpoch, parseRange } from '../../../../../api/values/feed.ts'
import { reportPosition as reportRow } from '../../../../../api/verifiers.ts'
import { GROUP_MAX } from '../../../domain/one-by-one.ts'
import { isRefused, type OrRefusal, refuse } from '../../../domain/refusal.ts'
import type { Introspector } from '../../../operations/authentication/authenticate-api-key.ts'
import { judgePosition } from '../../../operations/feed/answer-changes.ts'
import { authenticateFollowers, FEED, type FeedCaller } from '../../../operations/feed/authenticate-followers.ts'
import { makeRangeReader, type RangeReader } from '../../../operations/feed/read-range.ts'
import { makeSnapshots } from '../../../operations/feed/read-snapshot.ts'
import { SIGNATURE_KEPT_SECONDS } from '../../../operations/feed/sign-documents.ts'
import { inGroups } from '../../../operations/group.ts'
import { reportPosition } from '../../../operations/verifiers/verifiers.ts'
import { makeCallerNote } from '../../notes/request-note.ts'
import { answerBy } from '../../wire/answer-deadline.ts'
import { type RequestOf, routeOf } from '../../wire/describe.ts'
import { takeJson } from '../../wire/json-body.ts'
import type { Wire } from '../../wire/wire.ts'
import { readApiKey } from '../client-credentials.ts'
import { FOLLOWERS_MAX, makeFollowers, type Recognized } from './followers.ts'
import { makeChangesHandler, sendDocument } from './long-poll.ts'
import { makeStreamHandler } from './stream.ts'

type Handle<Row extends Operation> = (request: RequestOf<Row>, reply: FastifyReply, caller: Recognized) => Promise<void>

type Recognize = (request: FastifyRequest) => Promise<OrRefusal<FeedCaller>>

/** Recognizes the callers of a group together. */
const makeRecognizer = ({ ports, inTime, credentials }: Wire): Recognize => {
  const authenticate = inGroups((requests: readonly Introspector[]) => inTime(authenticateFollowers(ports, requests)), {
    groupMax: GROUP_MAX,
    defer: setImmediate,
    timing: ports.timing,
  })
  return async request => {
    const presented = readApiKey(request, FEED)
    if (isRefused(presented)) return presented
    const onCaller = makeCallerNote(request.raw)
    const caller = await authenticate({ ...presented, onCaller })
    if (!isRefused(caller)) credentials.add(request.headers)
    return caller
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
    const refused = judgePosition({ epoch: request.query.epoch ?? head.epoch, position: 0 }, head)
    if (refused !== undefined) return void refuser.refuse(reply, refused.refusal)
    sendDocument(metrics, reply, 'snapshot', text)
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
    const refused = judgePosition({ epoch, position: range.to }, head)
    if (refused !== undefined) return refused
    const document = await ranges.read({ epoch, ...range }, by)
    if (document === 'epoch_changed')
      return refuse('epoch_changed', 'The feed has another epoch: begin with the snapshot.')
    return document.to === range.to ? document : NO_SEGMENT
  }

  return async (request, reply, { keyHash, until }) => {
    const segment = await inTime(read(request.params, keyHash), until)
    if (isRefused(segment)) return void refuser.refuse(reply, segment.refusal)
    void reply.header('cache-control', `private, immutable, max-age=${SIGNATURE_KEPT_SECONDS}`)
    sendDocument(metrics, reply, 'segment', segment.text)
  }
}

/** A follower reports up to where it holds all facts. In a scope of its own: the rest of /oauth takes forms. */
const serveReports = (app: FastifyInstance, wire: Wire, recognize: Recognize): void => {
  const { ports, refuser, sourceOf } = wire
  void app.register(async scope => {
    takeJson(scope)
    scope.route<{ Body: BodyOf<typeof reportRow> }>({
      ...routeOf(reportRow),
      // A caller that is not recognized hears 401 first.
      attachValidation: true,
      handler: async (request, reply): Promise<void> => {
        const caller = await recognize(request)
        if (isRefused(caller)) return void refuser.refuse(reply, caller.refusal)
        if (request.validationError !== undefined) return void refuser.fail(reply, request.validationError)
        const { name, epoch, position, uses = null } = request.body
        reportPosition(ports, caller.caller, { name, epoch, position, uses, address: sourceOf(request) })
        void reply.code(204).send()
      },
    })
  })
}

/** Registers the routes. Followers end as the server closes: they would keep it open. */
export const serveFeed = (app: FastifyInstance, wire: Wire): void => {
  const { ports, refuser, inTime, metrics, mayStay, followerLimits: limits = FOLLOWERS_MAX } = wire
  const onFault = (fault: unknown): void => {
    metrics.add('mintmark_feed_faults_total', {})
    wire.reportFeedFault(fault)
  }
  const ranges = makeRangeReader(ports)
  const followers = makeFollowers({ ports, inTime, metrics, limits, mayStay, onFault })
  app.addHook('preClose', done => {
    followers.close()
    done()
  })
  const recognize = makeRecognizer(wire)

  const serve = <Row extends Operation>(row: Row, handle: Handle<Row>): void => {
    app.route<{ Querystring: QueryOf<Row>; Params: PathOf<Row> }>({
      ...routeOf(row),
      handler: async (request, reply): Promise<void> => {
        // Also of what comes after the caller is recognized, whatever that took.
        const until = answerBy(ports, request.raw)
        const caller = await inTime(recognize(request), until)
        if (isRefused(caller)) return void refuser.refuse(reply, caller.refusal)
        return handle(request, reply, { ...caller, until })
      },
    })
  }
  serve(api.readFeedHead, makeHeadHandler(wire))
  serve(api.readFeedSnapshot, makeSnapshotHandler(wire))
  serve(api.readFeedSegment, makeSegmentHandler(wire, ranges))
  serve(api.readFeedChanges, makeChangesHandler(wire, { followers, ranges, recognize }))
  serve(api.followFeed, makeStreamHandler(wire, { followers, ranges, onFault }))
  serveReports(app, wire, recognize)
}
