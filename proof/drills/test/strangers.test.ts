// What the strangers drill makes of what it saw, and the bytes that its strangers send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pointElsewhere } from '../strangers/genuine-cursors.ts'
import { HOSTILE_BYTES } from '../strangers/hostile-bytes.ts'
import type { HonestCounts } from '../strangers/honest-callers.ts'
import { judge, type Observation, percent } from '../strangers/judge.ts'
import { faultsIn } from '../strangers/process-state.ts'
import {
  burstOf,
  cutAt,
  forgedToken,
  formRequest,
  hasBody,
  type Place,
  requestOf,
  shortestGet,
  strangerRequests,
} from '../strangers/requests.ts'
import { STAGE_NAMES } from '../strangers/stages.ts'
import { makeStatusCounter } from '../strangers/stranger.ts'
import { formatRow, TABLE_HEAD } from '../strangers/table.ts'

const ASKED = { introspect: 100, revoke: 100, issue: 100, list: 100 }
const HONEST: HonestCounts = { asked: ASKED, succeeded: ASKED, introspectionMs: 12, firstFailure: null }

const PASSED: Observation = {
  ended: null,
  threadsEnded: 0,
  faults: [],
  residentBeforeMiB: 200,
  residentAfterMiB: 450,
  peakMiB: 900,
  honest: HONEST,
  revived: 0,
  statuses: new Map([[401, 10]]),
  connections: 10,
  firstTokens: null,
}

const judged = (changed: Partial<Observation>): string => judge({ ...PASSED, ...changed }).join(' | ')

const failing = (kind: keyof typeof ASKED, succeeded: number): Partial<Observation> => ({
  honest: { ...HONEST, succeeded: { ...ASKED, [kind]: succeeded }, firstFailure: `${kind}: 503` },
})

test('a stage is passed where nothing ended, 250 MiB were kept and honest callers were answered', () => {
  assert.equal(judged({}), '')
  assert.equal(judged({ ...failing('introspect', 99) }), '')
  assert.equal(judged({ firstTokens: { asked: 5, got: 5 } }), '')
})

test('a process or a thread that ended, and a fault in the log, is red', () => {
  assert.equal(judged({ ended: 'SIGABRT' }), 'the process ended with SIGABRT')
  assert.equal(judged({ threadsEnded: 1 }), '1 thread ended')
  assert.equal(judged({ faults: ['fault: no'] }), '1 fault in the log, the first: fault: no')
})

test('one MiB more than 250 is red, and memory that cannot be measured is not', () => {
  assert.equal(judged({ residentAfterMiB: 451 }), 'the process kept 251 MiB')
  assert.equal(judged({ residentBeforeMiB: Number.NaN, residentAfterMiB: Number.NaN }), '')
})

test('two of a hundred honest requests that fail are red, of each kind', () => {
  for (const kind of ['introspect', 'revoke', 'issue', 'list'] as const) {
    assert.equal(judged(failing(kind, 98)), `honest callers: ${kind} 98.0 %; the first failure: ${kind}: 503`)
  }
})

test('a revoked token that is active, a 500 to a stranger, and a client that is kept from its first token are red', () => {
  assert.match(judged({ revived: 2 }), /^P1: 2 tokens active/)
  assert.equal(judged({ statuses: new Map([[500, 3]]) }), '3 requests of strangers answered with 500')
  assert.equal(judged({ firstTokens: { asked: 5, got: 4 } }), '1 of 5 imported clients got no first token')
})

test('a stage in which nobody came or hardly anybody asked is red', () => {
  assert.match(judged({ connections: 0 }), /nothing was tested/)
  const few = { ...ASKED, introspect: 49 }
  assert.match(judged({ honest: { ...HONEST, asked: few, succeeded: few } }), /^only 49 honest requests to introspect/)
})

test('a share is never rounded up to all', () => {
  assert.equal(percent(0.9999), '99.9 %')
  assert.equal(percent(1), '100.0 %')
})

test('a fault is a line of the log at error or worse, and whatever is no line of the log', () => {
  const line = (level: number, more: object) => JSON.stringify({ level, ...more })
  const log = [
    line(40, { msg: 'unavailable' }),
    line(50, { msg: 'fault', err: { message: 'it broke' } }),
    line(60, { msg: 'the end' }),
    '',
    'FATAL ERROR: JavaScript heap out of memory',
  ]
  const expected = ['fault: it broke', 'the end', 'FATAL ERROR: JavaScript heap out of memory']
  assert.deepEqual(faultsIn(log.join('\n')), expected)
})

test('status lines are counted once each, wherever the stream is cut', () => {
  const answer = (status: number) => `HTTP/1.1 ${status} Something\r\ncontent-length: 2\r\n\r\n{}`
  const stream = answer(200) + answer(401) + answer(500)
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const seen: number[] = []
    const count = makeStatusCounter(status => void seen.push(status))
    count(stream.slice(0, cut))
    count(stream.slice(cut))
    assert.deepEqual(seen, [200, 401, 500], `cut at ${cut}`)
  }
})

const PLACES: readonly Place[] = ['nothing', 'request line', 'headers', 'body', 'whole']

test('a request that is cut breaks off in its place, at the earliest and at the latest', () => {
  const request = formRequest('/oauth/token', 'a=b')
  const [lineEnd, headEnd, whole] = [request.indexOf('\r\n'), request.indexOf('\r\n\r\n'), request.length]
  const expected: Readonly<Record<Place, readonly [number, number]>> = {
    nothing: [0, 0],
    'request line': [1, lineEnd - 1],
    headers: [lineEnd + 2, headEnd + 3],
    body: [headEnd + 4, whole - 1],
    whole: [whole, whole],
  }
  for (const place of PLACES) {
    const cuts = [cutAt(request, place, least => least), cutAt(request, place, (_, most) => most)]
    assert.deepEqual(
      cuts.map(cut => cut.length),
      expected[place],
      place,
    )
  }
})

test('a request is known to have a body, and 1,600 requests for the document of the API fit into one burst', () => {
  const requests = [formRequest('/', 'a'), requestOf('POST /', { body: '' }), requestOf('GET /')]
  assert.deepEqual(requests.map(hasBody), [true, false, false])
  const burst = burstOf(shortestGet('/openapi.json')).toString()
  assert.ok(burst.length <= 62_000)
  assert.ok(burst.split('GET ').length - 1 >= 1600)
})

const bodyLengthOf = (request: Buffer): number => request.length - request.indexOf('\r\n\r\n') - 4

const CURSOR = { list: '/api/v1/agents', cursor: '1.agents.print.drill' }

const GENUINE = {
  clientId: 'client',
  operatorJwt: `e30.${Buffer.from('{"sub":"operator"}').toString('base64url')}.c2ln`,
  token: `e30.${Buffer.from('{"jti":"0191d5c0-0000-7000-8000-000000000001"}').toString('base64url')}.c2ln`,
}

test('what strangers send whole is as long as it says, whatever bytes are in it', () => {
  const credentials = {
    clientId: 'client',
    introspectionKey: 'key',
    readerKey: 'key',
    adminJwt: 'jwt',
    cursors: [CURSOR],
  }
  const hostile = Object.values(HOSTILE_BYTES).flatMap(requests => requests(credentials))
  const all = [...hostile, ...strangerRequests(GENUINE).map(make => make())]
  assert.ok(all.length > 100)
  for (const request of all) {
    const stated = /\r\nContent-Length: (\d+)\r\n/.exec(request.toString('latin1'))?.[1] ?? '0'
    assert.equal(bodyLengthOf(request), Number(stated), request.toString('latin1'))
  }
})

test('a forged cursor keeps its opening, and points at what its reader decodes once more', () => {
  const forged = new URLSearchParams(`cursor=${pointElsewhere(CURSOR.cursor, '%2500')}`).get('cursor')
  assert.equal(forged, '1.agents.print.%00')
})

test('a forged token keeps the header and the time of its id, and is another', () => {
  const forged = forgedToken(GENUINE.token).split('.')
  const { jti } = JSON.parse(Buffer.from(forged[1] ?? '', 'base64url').toString()) as { jti: string }
  assert.deepEqual([forged.length, forged[0], jti.slice(0, 19)], [3, 'e30', '0191d5c0-0000-7000-'])
  assert.notEqual(jti, '0191d5c0-0000-7000-8000-000000000001')
})

test('every line of the table has its columns below their titles', () => {
  assert.equal(new Set(STAGE_NAMES).size, STAGE_NAMES.length)
  for (const stage of STAGE_NAMES) {
    const line = formatRow({ store: 'postgres en_US', stage, isGood: false, observed: PASSED })
    assert.equal(line.length, TABLE_HEAD.length, line)
    assert.equal(line.indexOf('RED'), TABLE_HEAD.indexOf('strangers') - 6)
  }
})
