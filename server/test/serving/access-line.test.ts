// The text of a line of the access log, which is formatted by hand: it reads back as what was recorded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { formatLine, formatOutcome, refusedLine } from '../../src/http/notes/access-line.ts'

const read = (members: string): unknown => JSON.parse(`{${members}}`)

const OUTCOME = { method: 'GET', route: '/api/v1/agents/{id}', operation: 'showAgent', status: 200, code: null }
const LINE = { requestId: 'r-1', outcome: formatOutcome(OUTCOME), milliseconds: 1.5, bytes: '17', who: null }

test('a line reads back as what was recorded, in the order of docs/reference/log-events.md', () => {
  const noted = { ...LINE, who: { kind: 'agent', id: 'a' } as const, traceId: '0af7651916cd43dd8448eb211c80319c' }
  const expected = { requestId: 'r-1', ...OUTCOME, seconds: 0.0015, bytes: 17, who: 'agent:a' }
  assert.equal(
    JSON.stringify(read(formatLine(noted))),
    JSON.stringify({ ...expected, traceId: '0af7651916cd43dd8448eb211c80319c' }),
  )
  const aborted = { ...OUTCOME, route: null, status: null, code: 'invalid_request' } as const
  assert.deepEqual(read(formatLine({ ...LINE, outcome: formatOutcome(aborted), bytes: null })), {
    requestId: 'r-1',
    ...aborted,
    seconds: 0.0015,
    bytes: null,
    who: null,
  })
})

test('seconds have six decimals, whatever time a request took, and are never negative', () => {
  for (const [milliseconds, text] of [
    [0, '0.000000'],
    [-3, '0.000000'],
    [0.0004, '0.000000'],
    [0.0005, '0.000001'],
    [999.9994, '0.999999'],
    [999.9996, '1.000000'],
    [1000.001, '1.000001'],
    [61_234.5, '61.234500'],
  ] as const) {
    assert.ok(formatLine({ ...LINE, milliseconds }).includes(`"seconds":${text},`), String(milliseconds))
  }
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), milliseconds => {
      const { seconds } = read(formatLine({ ...LINE, milliseconds })) as { readonly seconds: number }
      assert.ok(Math.abs(seconds - milliseconds / 1000) <= 0.000_000_51, `${milliseconds} ms became ${seconds} s`)
    }),
  )
})

test('the line of a request that could not be read has neither method nor route', () => {
  assert.deepEqual(
    read(formatLine(refusedLine('r-2', undefined, { status: 400, code: 'invalid_request', bytes: 80 }))),
    {
      requestId: 'r-2',
      method: null,
      route: null,
      operation: 'other',
      status: 400,
      code: 'invalid_request',
      seconds: 0,
      bytes: 80,
      who: null,
    },
  )
})
