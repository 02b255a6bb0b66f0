// The revocation feed: what a verifier needs to refuse a revoked token without a call for each request
// (docs/apis/feed-protocol.md).
import { z } from 'zod'
import { parameter, parsed, wholeNumber } from './fields.ts'
import { operation } from './operation.ts'
import { EPOCH_FORM, FEED_WAIT_SECONDS_MAX, parseEpoch, parsePosition, parseWait } from './values/feed.ts'

/** The media type of every signed document of the feed. */
export const REVOCATIONS_TYPE = 'application/revocations+jwt'

export const STREAM_TYPE = 'text/event-stream'

const EPOCH = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'

const epochMeta = { pattern: '^[A-Za-z0-9._-]{1,128}$', examples: [EPOCH] }

const epoch = parsed({
  parse: parseEpoch,
  form: EPOCH_FORM,
  missing: 'is missing: send the epoch that your position is of',
  meta: { description: 'The epoch that the position is of.', type: 'string', ...epochMeta },
})

const expectedEpoch = parameter(parseEpoch, EPOCH_FORM, {
  description: 'The epoch that is expected; the present one unless given.',
  ...epochMeta,
})

const position = parsed({
  parse: parsePosition,
  form: 'a whole number from 0',
  missing: 'is missing: send the position up to which you hold all facts',
  meta: { description: 'Up to where all facts are held.', type: 'integer', minimum: 0, examples: [4711] },
})

const wait = parameter(parseWait, `a whole number of seconds from 0 to ${FEED_WAIT_SECONDS_MAX}`, {
  description: 'How long to wait for the first fact where there is none, in seconds.',
  type: 'integer',
  minimum: 0,
  maximum: FEED_WAIT_SECONDS_MAX,
  default: 0,
})

const head = z.object({
  epoch: z.string().describe('Changes when history is rewritten.'),
  position: wholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
    'Grows with each transaction that ends something, without gaps.',
  ),
  now: z.int().describe('The time of the service, in ms since 1970.'),
})

const documentOf = (description: string) => ({
  200: { description, content: { [REVOCATIONS_TYPE]: { schema: z.string() } } },
})

const DOCUMENT = 'eyJhbGciOiJFUzI1NiIsInR5cCI6InJldm9jYXRpb25zK2p3dCJ9.…'

const marks = { access: 'introspector', refusals: [409] } as const

export const readFeedHead = operation({
  ...marks,
  refusals: [],
  route: 'GET /oauth/revocation-feed',
  id: 'readFeedHead',
  summary: 'Where the revocation feed stands',
  answers: { 200: head },
  example: { answer: { epoch: EPOCH, position: 4711, now: 1_795_435_200_123 } },
})

export const readFeedSnapshot = operation({
  ...marks,
  route: 'GET /oauth/revocation-feed/snapshot',
  id: 'readFeedSnapshot',
  summary: 'The segments that hold all facts',
  query: z.object({ epoch: expectedEpoch }),
  answers: documentOf('A JWT with typ revocations+jwt, position, and in segments a chain from 0 to there.'),
  example: { answer: DOCUMENT, text: DOCUMENT },
})

export const readFeedSegment = operation({
  ...marks,
  route: 'GET /oauth/revocation-feed/segments/{epoch}/{range}',
  id: 'readFeedSegment',
  summary: 'The facts of a segment',
  answers: documentOf(
    'A JWT with typ revocations+jwt: the facts after the first position of the range, up to the last.',
  ),
  headers: ['Cache-Control-Immutable'],
  example: { answer: DOCUMENT, text: DOCUMENT },
})

export const readFeedChanges = operation({
  ...marks,
  route: 'GET /oauth/revocation-feed/changes',
  id: 'readFeedChanges',
  summary: 'The facts after a position',
  query: z.object({ epoch, position, wait }),
  answers: documentOf('A JWT with typ revocations+jwt: the facts after the position; none of them, if there are none.'),
  example: { answer: DOCUMENT, text: DOCUMENT },
})

export const followFeed = operation({
  ...marks,
  route: 'GET /oauth/revocation-feed/stream',
  id: 'followFeed',
  summary: 'Follow the revocation feed',
  query: z.object({ epoch, position }),
  answers: {
    200: {
      description: 'Server-sent events: changes, each with a signed document, and a heartbeat each second.',
      content: { [STREAM_TYPE]: { schema: z.string() } },
    },
  },
  headers: ['X-Accel-Buffering'],
  example: { answer: DOCUMENT, text: `event: changes\ndata: ${DOCUMENT}\n\n` },
})
