// The access log through a real pipe, on Linux: nothing waits for its reader, nothing is lost that fits, and no two threads mix their lines.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { makePipeOutput, openPipeAgain } from '../../../src/compose/access-log.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { makeFolder } from '../../../../testkit/commands/run-mintmark.ts'

const OPTIONS = { timeout: 60_000 }
const PIECE_BYTES = 4096
const timing = { ...TIMING, brokenPipeMs: 20 }
const BYTES_MAX = 40 * PIECE_BYTES

/** A pipe with an end to write, as standard error is one, and what was read of it so far. */
const openPipe = (t: TestContext) => {
  const path = join(makeFolder(t), 'pipe')
  assert.equal(spawnSync('mkfifo', [path]).status, 0)
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  let text = ''
  const bytes = Buffer.alloc(PIECE_BYTES)
  let isOpen = true
  const closeReader = (): void => {
    if (isOpen) closeSync(reader)
    isOpen = false
  }
  t.after(() => {
    closeReader()
    closeSync(writer)
  })
  /** Reads at most so many bytes of what is there. */
  const read = (bytesMax = Number.POSITIVE_INFINITY): string => {
    for (let left = bytesMax; left > 0; ) {
      let count = 0
      try {
        count = readSync(reader, bytes, 0, Math.min(left, bytes.length), null)
      } catch {
        // Nothing is there: EAGAIN.
      }
      if (count === 0) break
      left -= count
      text += bytes.toString('latin1', 0, count)
    }
    return text
  }
  return { path, writer, read, closeReader }
}

const open = (writer: number, onLost: () => void) => {
  const pipe = openPipeAgain(writer)
  assert.ok(pipe !== undefined, 'The pipe cannot be opened again.')
  return makePipeOutput(pipe, { bytesMax: BYTES_MAX, onLost, timing })
}

/** Lines that fill a piece, each with the name of its writer and a number. */
const pieceOf = (name: string, n: number, bytes = PIECE_BYTES): Buffer => {
  const line = `${name} ${String(n).padStart(6, '0')} `
  return Buffer.from(`${line.padEnd(bytes - 1, name)}\n`)
}

const isWhole = (line: string): boolean => /^(\w) \d{6} \1+$/.test(line) && line.length === PIECE_BYTES - 1

test('a full pipe is not waited for, and all that fits into memory comes later, in order', OPTIONS, async t => {
  const { writer, read } = openPipe(t)
  let lost = 0
  const { write, close } = open(writer, () => (lost += 1))
  const PIECES = 50
  for (let n = 0; n < PIECES; n += 1) write(pieceOf('a', n))
  assert.equal(lost, 0)
  await until('all is read', async () => read().length === PIECES * PIECE_BYTES)
  const lines = read().split('\n').slice(0, -1)
  assert.deepEqual(
    lines.map(line => Number(line.slice(2, 8))),
    Array.from({ length: PIECES }, (_, n) => n),
  )
  assert.ok(lines.every(isWhole))
  await close()
})

test('what does not fit into memory is lost and reported, and lines after it are written', OPTIONS, async t => {
  const { writer, read } = openPipe(t)
  let lost = 0
  const { write, close } = open(writer, () => (lost += 1))
  const PIECES = 100
  for (let n = 0; n < PIECES; n += 1) write(pieceOf('a', n))
  assert.ok(lost > 0)
  await until('what was kept is read', async () => read().length === (PIECES - lost) * PIECE_BYTES)
  write(pieceOf('a', PIECES))
  const lines = read().split('\n').slice(0, -1)
  assert.equal(lines.length, PIECES - lost + 1)
  assert.ok(lines.every(isWhole))
  await close()
})

test('two threads that share a pipe whose reader is slow never mix their lines', OPTIONS, async t => {
  const { writer, read } = openPipe(t)
  const lose = () => assert.fail('A line was lost.')
  const [a, b] = [open(writer, lose), open(writer, lose)]
  const PIECES = 45
  for (let n = 0; n < PIECES; n += 1)
    for (const [name, one] of [['a', a] as const, ['b', b] as const]) one.write(pieceOf(name, n))
  // Room for a part of a piece now and then: a write that may be cut would be.
  while (read(5000).length < 2 * PIECES * PIECE_BYTES) await delay(TIMING.fullPipeMs)
  assert.ok(read().split('\n').slice(0, -1).every(isWhole))
  await Promise.all([a.close(), b.close()])
})

test(
  'a line longer than a pipe takes at once is written whole, and what waits is written at the end',
  OPTIONS,
  async t => {
    const { writer, read } = openPipe(t)
    const { write, close } = open(writer, () => assert.fail('A line was lost.'))
    const long = pieceOf('a', 1, 100_000)
    write(long)
    write(pieceOf('a', 2))
    const closed = close()
    await until('all is read', async () => read().length === long.length + PIECE_BYTES)
    await closed
    assert.equal(read(), String(long) + String(pieceOf('a', 2)))
  },
)

test('a pipe that nobody reads keeps lines for a reader to come, and ends in time', OPTIONS, async t => {
  const { path, writer, read, closeReader } = openPipe(t)
  const { write, close } = open(writer, () => assert.fail('A line was lost.'))
  write(pieceOf('a', 1))
  read()
  closeReader()
  write(pieceOf('a', 2))
  const again = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  t.after(() => closeSync(again))
  const bytes = Buffer.alloc(PIECE_BYTES)
  await until('the line is there', async () => {
    try {
      return readSync(again, bytes) === PIECE_BYTES
    } catch {
      return false
    }
  })
  assert.equal(String(bytes), String(pieceOf('a', 2)))
  await close()
})

test('what is no pipe is not opened again', OPTIONS, t => {
  const file = openSync(join(makeFolder(t), 'file'), 'w')
  t.after(() => closeSync(file))
  assert.equal(openPipeAgain(file), undefined)
})
