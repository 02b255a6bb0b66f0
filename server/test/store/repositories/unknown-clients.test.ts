// What the store reads for a client id that nobody has: as much as for one whose secret will be wrong, statement by statement, so
// that the time of the refusal does not say which it was (docs/decisions/0056-no-oracle.md).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/store/sqlite/connection/database.ts'
import { makeAgentRepository } from '../../../src/store/repositories/client-repositories.ts'
import type { Reader, Snapshot } from '../../../src/store/snapshot.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import type { Writer } from '../../../src/store/subjects.ts'
import { createAgent, makeTestStore, START } from '../../../../testkit/stores/store.ts'

/** Runs statement programs on a file of the store, and notes each statement. */
const makeReader = (file: string, texts: string[]): Reader => {
  const database = openDatabase(file, { readOnly: true })
  const drive = <T>(program: Program<T>): T => {
    let next = program.next()
    while (next.done !== true) {
      const { text, values } = next.value
      texts.push(text)
      next = program.next({ rows: database.prepare(text).all(...values), changes: 0 })
    }
    return next.value
  }
  // What a view for issue reads of it.
  const snapshot = { service: { seq: 1 }, now: START } as unknown as Snapshot
  const read = async <T>(program: (of: Snapshot) => Program<T>): Promise<T> => drive(program(snapshot))
  return { read, readUntimed: read }
}

test('a fresh view reads the same statements for a client that is unknown as for one that is there', async t => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { clientId } = await createAgent(world.store)
  const texts: string[] = []
  const agents = makeAgentRepository(makeReader(world.file, texts), {} as Writer)
  const statementsFor = async (id: string): Promise<readonly string[]> => {
    texts.length = 0
    await agents.viewForIssue([id], 'fresh')
    return [...texts]
  }
  // The first of them finds an agent to read.
  await statementsFor('nobody')
  const known = await statementsFor(clientId)
  assert.ok(known.some(text => text.includes('from credential')))
  assert.deepEqual(await statementsFor('nobody'), known)
  assert.deepEqual(await statementsFor('somebody else'), known)
})
