// The lines of the access log as bytes, most of them copies of the line before: they are what their texts are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type Envelope, gatherLines } from '../../src/compose/access-bytes.ts'
import { type AccessLine, formatLine, formatOutcome } from '../../src/http/notes/access-line.ts'

const ENVELOPE: Envelope = {
  beforeTime: '{"level":30,"time":',
  afterTime: ',"pid":1,"hostname":"h",',
  end: ',"msg":"request"}\n',
}
const PIECE_BYTES = 4096

const textOf = (line: AccessLine, now: number): string =>
  `${ENVELOPE.beforeTime}${now}${ENVELOPE.afterTime}${formatLine(line)}${ENVELOPE.end}`

type Noted = { readonly line: AccessLine; readonly now: number; readonly flushes: boolean }

const gather = (noted: readonly Noted[], bytesMax = PIECE_BYTES) => {
  const pieces: Buffer[] = []
  const lines = gatherLines(ENVELOPE, bytesMax, piece => pieces.push(piece))
  for (const { line, now, flushes } of noted) {
    lines.add(line, now)
    if (flushes) lines.flush()
  }
  lines.flush()
  return pieces.map(piece => piece.toString('latin1'))
}

const UUIDS = ['0198f3a0-1111-7222-8333-444455556666', '0198f3a0-aaaa-7bbb-8ccc-ddddeeeeffff'] as const

const OUTCOMES = [200, 401, null].map(status =>
  formatOutcome({ method: 'POST', route: '/oauth/token', operation: 'issueToken', status, code: null }),
)

/** Most lines differ from the one before with the same outcome as lines do: in ids, seldom in more. */
const line = fc.record({
  requestId: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...UUIDS) },
    { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/) },
  ),
  outcome: fc.constantFrom(...OUTCOMES),
  milliseconds: fc.oneof(
    { weight: 9, arbitrary: fc.double({ min: -5, max: 50, noNaN: true }) },
    { weight: 1, arbitrary: fc.constantFrom(9999.9994, 9999.9996, 10_000, 61_234.5) },
  ),
  bytes: fc.oneof(
    { weight: 9, arbitrary: fc.constant('118') },
    { weight: 1, arbitrary: fc.constantFrom(null, 1, 119) },
  ),
  who: fc.option(
    fc.record({
      kind: fc.constantFrom('agent' as const, 'api_key' as const, 'operator' as const),
      id: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...UUIDS) },
        { weight: 1, arbitrary: fc.constant('0123456789abcdef') },
      ),
    }),
  ),
  traceId: fc.oneof(
    { weight: 19, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant('0af7651916cd43dd8448eb211c80319c') },
  ),
})

const noted = fc.record({
  line,
  now: fc.constantFrom(999_999_999_999, 1_795_473_634_650, 1_795_473_634_651),
  flushes: fc.nat(7).map(n => n === 0),
})

test('the bytes of all lines are those of their texts, in pieces of whole lines', () => {
  fc.assert(
    fc.property(fc.array(noted, { maxLength: 80, size: 'max' }), many => {
      const pieces = gather(many)
      assert.equal(pieces.join(''), many.map(one => textOf(one.line, one.now)).join(''))
      for (const piece of pieces) assert.ok(piece.endsWith('}\n') && piece.length <= PIECE_BYTES)
    }),
    { numRuns: 400 },
  )
})

const LINE: AccessLine = {
  requestId: UUIDS[0],
  outcome: formatOutcome({ method: 'GET', route: '/livez', operation: 'checkAlive', status: 200, code: null }),
  milliseconds: 1,
  bytes: 2,
  who: null,
}
const NOW = 1_795_473_634_650

test('a line of any length is written whole', () => {
  const lengths = [1, 700, 1000, 1024, 2000, 5000]
  const many: readonly Noted[] = lengths.flatMap((length): readonly Noted[] => [
    { line: { ...LINE, who: { kind: 'operator', id: 'w'.repeat(length) } }, now: NOW, flushes: false },
    { line: LINE, now: NOW, flushes: false },
    { line: { ...LINE, outcome: 'o'.repeat(length) }, now: NOW, flushes: false },
  ])
  const pieces = gather(many)
  assert.equal(pieces.join(''), many.map(one => textOf(one.line, one.now)).join(''))
  for (const piece of pieces) assert.ok(piece.endsWith('}\n'))
})

test('more outcomes than are kept have their lines all the same', () => {
  const many = Array.from({ length: 500 }, (_, n) => ({
    line: { ...LINE, outcome: `"n":${n % 130}`, milliseconds: n },
    now: NOW + n,
    flushes: false,
  }))
  assert.equal(gather(many).join(''), many.map(one => textOf(one.line, one.now)).join(''))
})

test('lines that follow change no piece that was written', () => {
  const pieces: Buffer[] = []
  const lines = gatherLines(ENVELOPE, PIECE_BYTES, piece => pieces.push(piece))
  lines.add(LINE, NOW)
  lines.flush()
  for (let n = 0; n < 100; n += 1) lines.add({ ...LINE, requestId: UUIDS[1], milliseconds: n }, NOW + n)
  assert.equal(pieces[0]?.toString('latin1'), textOf(LINE, NOW))
})
