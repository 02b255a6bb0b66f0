// What is remembered by `service.seq`: never used at another number, whatever is read between two statements.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeVersionKeyedCache } from '../../../src/store/repositories/client-repositories.ts'
import { first, given, type Program } from '../../../src/store/statement-program.ts'
import type { Snapshot } from '../../../src/store/snapshot.ts'
import { makeSets } from '../../../src/store/ledger/interned-sets.ts'

const snapshotAt = (seq: number): Snapshot => ({
  service: { seq, endedSeq: 0, lastEndSeq: 0, clockLease: 0, lastAt: 0 },
  now: 0,
  sets: makeSets(),
  cutOffs: () => given([]),
  endedBetween: () => [0, 0],
})

type Row = { readonly name: string }

const makeMemory = () => makeVersionKeyedCache<string>(readName)

function* readName(key: string): Program<string | undefined> {
  return (yield* first<Row>('select name from agent where id = ?', key))?.name
}

/** Gives the answer to the one statement of the script. */
const answer = <T>(program: Program<T>, row: Row | undefined): T => {
  const step = program.next({ rows: row === undefined ? [] : [row], changes: 0 })
  assert.ok(step.done, 'It asks for more.')
  return step.value
}

const read = (memory: ReturnType<typeof makeMemory>, seq: number, row: Row | undefined): string | undefined => {
  const program = memory.read(snapshotAt(seq), 'a')
  program.next()
  return answer(program, row)
}

test('what was found is remembered at its number, and forgotten at the next', () => {
  const memory = makeMemory()
  assert.equal(read(memory, 5, { name: 'one' }), 'one')
  assert.equal(memory.known(snapshotAt(5), 'a'), 'one')
  assert.equal(memory.known(snapshotAt(6), 'a'), undefined)
  assert.equal(memory.known(snapshotAt(5), 'a'), undefined)
})

test('what was not found is not remembered, and makes what was forgotten', () => {
  const memory = makeMemory()
  read(memory, 5, { name: 'one' })
  assert.equal(read(memory, 5, undefined), undefined)
  assert.equal(memory.known(snapshotAt(5), 'a'), undefined)
})

test('what an older snapshot found is not what a newer number has, however late its answer comes', () => {
  const memory = makeMemory()
  const older = memory.read(snapshotAt(5), 'a')
  older.next()
  assert.equal(memory.known(snapshotAt(6), 'a'), undefined)
  assert.equal(answer(older, { name: 'before' }), 'before')
  assert.equal(memory.known(snapshotAt(6), 'a'), undefined)
  assert.equal(memory.known(snapshotAt(5), 'a'), undefined)
})
