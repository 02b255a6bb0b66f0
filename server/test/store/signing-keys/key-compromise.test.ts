// The emergency end of a signing key, and keys from outside, at the port.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { KeyState } from '../../../src/domain/keys/key-life.ts'
import { act, createAgent, issue, NO_HISTORY_FILTERS, someSigningKey, START } from '../../../../testkit/stores/store.ts'
import {
  addNext,
  change,
  currentKid,
  makeKeyWorld,
  publishedKids,
  READY_MS,
  statesOf,
} from '../../../../testkit/stores/key-world.ts'
import { countRows, readRow, readRows } from '../../../../testkit/stores/store-file.ts'

const ROTATE = act('signing_key.rotate')
const COMPROMISE = act('signing_key.compromise')
const IMPORT = act('signing_key.import')
const NEVER = { candidate: null, force: false } as const

test('a compromised current key leaves the key set, its tokens end in every process, and the next key signs', async t => {
  const world = await makeKeyWorld(t)
  const { store, elsewhere } = world
  const agent = await createAgent(store)
  const next = await addNext(world, 1)
  const bad = await currentKid(store)
  const tokens = await issue(store, agent, {}, {}, {})
  const revocationId = randomUUID()
  const compromise = { kid: bad, candidate: null, revocationId }
  const { key, current, unknownUntil } = change(await store.signingKeys.compromise(compromise, COMPROMISE))
  const expected: readonly [KeyState, string, number] = ['compromised', next, START + READY_MS - 1]
  assert.deepEqual([key.state, current.publicJwk.kid, unknownUntil], expected)
  assert.deepEqual(await publishedKids(elsewhere), [next])
  assert.equal(await currentKid(elsewhere), next)
  assert.deepEqual(await elsewhere.ledger.find(tokens), [undefined, undefined, undefined])
  const ended = await elsewhere.ledger.listEnded({
    filters: NO_HISTORY_FILTERS,
    after: null,
    limit: 10,
    audiences: null,
  })
  assert.deepEqual([...new Set(ended.records.map(({ reason }) => reason))], ['key_compromise'])
  const revocation = await elsewhere.revocations.show(revocationId)
  assert.deepEqual(
    [revocation?.conditions.kid, revocation?.reason, revocation?.tokensMoved],
    [bad, 'key_compromise', 3],
  )
  const sealed = readRow(world.file, 'select length(sealed_private_key) as sealed from signing_key where kid = ?', bad)
  assert.deepEqual(sealed, { sealed: 0 })
})

test('more tokens of a compromised key than move at once are dead from the acknowledgement on', async t => {
  const world = await makeKeyWorld(t)
  const agent = await createAgent(world.store)
  await addNext(world)
  const tokens = await issue(world.store, agent, ...Array.from({ length: 80 }, () => ({})))
  const kid = await currentKid(world.store)
  await world.store.signingKeys.compromise({ kid, candidate: null, revocationId: randomUUID() }, COMPROMISE)
  const found = await world.elsewhere.ledger.find(tokens)
  assert.ok(found.every(token => token === undefined || token.dead))
  const [fresh] = await issue(world.elsewhere, agent, {})
  assert.ok(fresh)
  const [alive] = await world.elsewhere.ledger.find([fresh])
  assert.equal(alive?.dead, false, 'What the next key signs lives.')
})

test('a compromised retained key ends its tokens and leaves the current one alone', async t => {
  const world = await makeKeyWorld(t)
  const agent = await createAgent(world.store)
  const old = await currentKid(world.store)
  const [before] = await issue(world.store, agent, {})
  const next = await addNext(world)
  await world.store.signingKeys.rotate(NEVER, ROTATE)
  const [after] = await issue(world.store, agent, {})
  assert.ok(before && after)
  const compromise = { kid: old, candidate: null, revocationId: randomUUID() }
  const { current, unknownUntil } = change(await world.store.signingKeys.compromise(compromise, COMPROMISE))
  assert.deepEqual([current.publicJwk.kid, unknownUntil], [next, null])
  const [dead, alive] = await world.elsewhere.ledger.find([before, after])
  assert.deepEqual([dead, alive?.dead], [undefined, false])
})

test('of 50 callers in two processes who compromise a key one does', async t => {
  const world = await makeKeyWorld(t)
  const kid = await currentKid(world.store)
  const callers = Array.from({ length: 50 }, (_, n) =>
    (n % 2 ? world.store : world.elsewhere).signingKeys.compromise(
      { kid, candidate: someSigningKey(), revocationId: randomUUID() },
      COMPROMISE,
    ),
  )
  const current = (await Promise.all(callers)).map(outcome => change(outcome).current.publicJwk.kid)
  assert.equal(new Set(current).size, 1)
  assert.deepEqual(statesOf(world.file), ['compromised', 'current'])
  assert.equal(countRows(world.file, `audit where kind = 'signing_key.compromise'`), 1)
  assert.equal(countRows(world.file, 'cutoff'), 1)
})

test('without a next key a compromise waits for a candidate, which then signs at once', async t => {
  const { store } = await makeKeyWorld(t)
  const compromise = { kid: await currentKid(store), revocationId: randomUUID() }
  assert.equal(await store.signingKeys.compromise({ ...compromise, candidate: null }, COMPROMISE), 'no_next')
  assert.equal(
    await store.signingKeys.compromise({ ...compromise, kid: 'nobody', candidate: null }, COMPROMISE),
    'unknown',
  )
  const candidate = someSigningKey()
  const { current, unknownUntil } = change(await store.signingKeys.compromise({ ...compromise, candidate }, COMPROMISE))
  assert.deepEqual([current.publicJwk.kid, unknownUntil], [candidate.publicJwk.kid, START + READY_MS])
})

/** The newest entry of the audit: its kind, its subject, and the key that the act made. */
const newestEntry = (file: string): readonly unknown[] => {
  const row = readRow(file, 'select kind, subject, detail from audit order by n desc limit 1')
  const { made } = JSON.parse(String(row?.['detail'])) as { readonly made?: { readonly public_jwk: unknown } }
  return [row?.['kind'], row?.['subject'], made?.public_jwk]
}

test('an act that makes the next key itself is one entry of the audit, which holds that key', async t => {
  const { store, file } = await makeKeyWorld(t)
  const { signingKeys } = store
  const entries = countRows(file, 'audit')
  const [first, second, third] = [someSigningKey(), someSigningKey(), someSigningKey()]
  const kid = await currentKid(store)
  change(await signingKeys.compromise({ kid, candidate: first, revocationId: randomUUID() }, COMPROMISE))
  assert.deepEqual(newestEntry(file), ['signing_key.compromise', kid, first.publicJwk])
  change(await signingKeys.rotate({ candidate: second, force: false }, ROTATE))
  const { kid: secondKid } = second.publicJwk
  assert.deepEqual(newestEntry(file), ['signing_key.rotate', secondKid, second.publicJwk])
  change(await signingKeys.rotate({ candidate: null, force: true }, ROTATE))
  assert.deepEqual(newestEntry(file), ['signing_key.rotate', secondKid, undefined])
  change(await signingKeys.retire({ kid: secondKid, candidate: third, force: false }, act('signing_key.retire')))
  assert.deepEqual(newestEntry(file), ['signing_key.retire', third.publicJwk.kid, third.publicJwk])
  assert.equal(countRows(file, 'audit'), entries + 4)
})

test('an imported key takes the place of the next one, and keeps its name', async t => {
  const world = await makeKeyWorld(t)
  const replaced = await addNext(world)
  const current = await currentKid(world.store)
  const key = someSigningKey()
  const { key: imported } = change(await world.store.signingKeys.import(key, IMPORT))
  assert.deepEqual([imported.publicJwk, imported.state, imported.imported], [key.publicJwk, 'next', true])
  assert.deepEqual(await publishedKids(world.store), [current, key.publicJwk.kid])
  const rows = readRows(world.file, `select subject from audit where kind = 'signing_key.drop'`)
  assert.deepEqual(rows, [{ subject: replaced }])
})

test('no key comes twice: not by its name, and not under another one, least of all a compromised one', async t => {
  const world = await makeKeyWorld(t)
  const { signingKeys } = world.store
  const key = someSigningKey()
  change(await signingKeys.import(key, IMPORT))
  const other = someSigningKey()
  assert.equal(
    await signingKeys.import({ ...other, publicJwk: { ...other.publicJwk, kid: key.publicJwk.kid } }, IMPORT),
    'known',
  )
  await signingKeys.compromise({ kid: key.publicJwk.kid, candidate: null, revocationId: randomUUID() }, COMPROMISE)
  assert.equal(await signingKeys.import({ ...other, thumbprint: key.thumbprint }, IMPORT), 'known')
  assert.equal(await signingKeys.import(key, IMPORT), 'known')
})
