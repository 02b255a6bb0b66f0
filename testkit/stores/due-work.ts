// A store in which each task of the maintenance has something to do, and nobody does it yet.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TokenAddress } from '../../server/src/domain/ledger/claims.ts'
import type { Timing } from '../../server/src/ports/timing.ts'
import { addNext } from './key-world.ts'
import { act, createAgent, issue, makeTestStore, newTokens, type TestStore } from './store.ts'
import { readRowBeside, withFile } from './store-file.ts'

/** What is left to do for each task, as rows of the store. */
export const LEFT = {
  'audit seals': 'audit where n > coalesce((select max(last_n) from seal), 0)',
  'life of signing keys': `signing_key where state = 'next' and wanted = 1`,
  'removal of used proofs': 'used_proof',
  'removal of silent verifiers': 'verifier',
  'removal of ended sessions': 'session',
  'backfill of revocations': `cutoff where state = 'open'`,
  'descendants of ended tokens': 'cascade',
  retention: 'refused where at = 0',
} as const satisfies Readonly<Record<string, string>>

/** Waits by which its tasks have their turn sooner than in production. */
export const SOON: Partial<Timing> = {
  maintenanceMs: 50,
  maintenanceBusyMs: 50,
  sealPauseMs: 50,
  forgetMs: 100,
  keyCheckMs: 500,
}

export type DueTask = keyof typeof LEFT

export const DUE_TASKS: readonly DueTask[] = Object.keys(LEFT) as DueTask[]

/** More tokens than follow in the transaction of the act itself. */
const MANY = Array.from({ length: 65 }, () => ({ lifetimeSeconds: 240 }))

/** `live`: a token that nothing ends. */
export type DueStore = TestStore & { readonly live: TokenAddress }

/** Returns those of the tasks that have something left to do. */
export const leftOf = async (file: string, tasks = DUE_TASKS): Promise<readonly DueTask[]> => {
  const counts = tasks.map((task, i) => `(select count(*) from ${LEFT[task]}) as n${i}`)
  const left = await readRowBeside(file, `select ${counts.join(', ')}`)
  return tasks.filter((_, i) => Number(left[`n${i}`]) > 0)
}

export const makeDueStore = async (): Promise<DueStore> => {
  const world = await makeTestStore(null)
  const { store, file, clock } = world
  const [kept, disabled, parent] = [await createAgent(store), await createAgent(store), await createAgent(store)]
  const [live] = await issue(store, kept, { lifetimeSeconds: 3600 })
  await issue(store, disabled, ...MANY)
  const [root] = await issue(store, parent, { lifetimeSeconds: 240 })
  assert.ok(live && root)
  const children = await newTokens(store, kept, MANY)
  await store.ledger.insert(children.map(token => ({ ...token, parent: root })))
  assert.equal(await store.ledger.end(root, 'manual_revocation', act('token.revoke')), 'ended')
  await store.agents.disable(disabled.id, act('agent.disable'))
  await addNext(world)
  await store.credentials.useAssertion({ id: randomBytes(16).toString('hex'), until: clock.wall() + 1 })
  withFile(file, db => {
    db.exec(`update signing_key set wanted = 1 where state = 'next'`)
    db.exec(
      `insert into verifier (api_key, name, address, epoch, position, reported_at, first_at) values ('', '', '', '', 0, 0, 0)`,
    )
    const session = `insert into session
      (id, secret_hash, iss, sub, sealed_tokens, created_at, used_at, expires_at, renewing_until)
      values ('', ?, '', '', ?, 0, 0, 0, 0)`
    db.prepare(session).run(Buffer.alloc(32), Buffer.alloc(1))
    db.exec(`insert into refused (at, way, client, source, count) values (0, 'client', '', '192.0.2.1', 1)`)
  })
  clock.advance(2)
  assert.deepEqual(await leftOf(file), DUE_TASKS)
  return { ...world, live }
}
