// Trusted issuers in the store: an alias is given once, no JWT fits two records, and a change holds in every process at once.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { NewIssuer } from '../../../src/domain/clients/trusted-issuer.ts'
import {
  act,
  makeTestStore,
  openTestedStore,
  START,
  type TestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { newIssuer } from '../../../../testkit/stores/new-things.ts'
import { countRows, readNumber } from '../../../../testkit/stores/store-file.ts'

const CREATE = act('issuer.create')
const CHANGE = act('issuer.change')
const CALLERS = 50
const UNTOUCHED = { createdAt: START, disabledAt: null, suspendedAt: null, managedBy: null }

const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return world
}

const trusting = async (store: TestedStore, changes: Partial<NewIssuer> = {}): Promise<NewIssuer> => {
  const issuer = { ...newIssuer(), ...changes }
  assert.deepEqual(await store.issuers.create(issuer, CREATE), { ...issuer, ...UNTOUCHED })
  return issuer
}

const aliasesOf = async ({ issuers }: TestedStore): Promise<readonly string[]> =>
  (await issuers.trusted()).issuers.map(({ alias }) => alias)

const seqOf = ({ file }: TestStore): number => readNumber(file, 'select seq from service')

test('an issuer is found as it was given, with the time of the store', async t => {
  const { store } = await makeWorld(t)
  const issuer = await trusting(store, {
    subjectClaim: 'oid',
    required: { tid: 'ä "b"', hd: 'c' },
    jwksUri: 'https://keys.example',
    tokenTypes: ['jwt', 'id-jag'],
    parties: ['web'],
    scopes: ['db:*', 'web:read'],
    lifetimeSeconds: 15,
  })
  const kept = { ...issuer, ...UNTOUCHED }
  assert.deepEqual(await store.issuers.show(issuer.alias), kept)
  const trusted = await store.issuers.trusted()
  assert.deepEqual(trusted.issuers, [{ ...kept, number: 1 }])
})

test('50 callers with one alias: one creates; with one issuer of which one token could fit two records: one', async t => {
  const { store, file } = await makeWorld(t)
  const { alias } = newIssuer()
  const byAlias = await Promise.all(
    Array.from({ length: CALLERS }, () => store.issuers.create({ ...newIssuer(), alias }, CREATE)),
  )
  assert.equal(byAlias.filter(made => made === 'alias_taken').length, CALLERS - 1)
  const { issuer } = newIssuer()
  const byIssuer = await Promise.all(
    Array.from({ length: CALLERS }, () => store.issuers.create({ ...newIssuer(), issuer }, CREATE)),
  )
  assert.equal(byIssuer.filter(made => typeof made === 'object' && 'taken' in made).length, CALLERS - 1)
  assert.equal(countRows(file, 'trusted_issuer'), 2)
})

test('64 may be trusted at once; a deleted one makes room, and keeps its alias', async t => {
  const { store } = await makeWorld(t)
  const made = []
  for (let n = 0; n < 64; n += 1) made.push(await trusting(store))
  assert.equal(await store.issuers.create(newIssuer(), CREATE), 'too_many')
  const alias = made[7]?.alias ?? ''
  await store.issuers.disable(made[8]?.alias ?? '', act('issuer.disable'))
  assert.equal(await store.issuers.create(newIssuer(), CREATE), 'too_many')
  assert.equal(await store.issuers.delete(alias, act('issuer.delete')), 'deleted')
  assert.equal(await store.issuers.create({ ...newIssuer(), alias }, CREATE), 'alias_taken')
  await trusting(store)
  assert.equal(await store.issuers.delete(alias, act('issuer.delete')), 'unknown')
  assert.equal(await store.issuers.show(alias), undefined)
})

test('of two changes at once, of different members, both hold', async t => {
  const { store } = await makeWorld(t)
  const { alias } = await trusting(store)
  await Promise.all([
    store.issuers.change(alias, { parties: ['web'] }, CHANGE),
    store.issuers.change(alias, { scopes: ['db:write'] }, CHANGE),
    store.issuers.change(alias, { jwksUri: undefined }, CHANGE),
  ])
  const shown = await store.issuers.show(alias)
  assert.deepEqual([shown?.parties, shown?.scopes, shown?.jwksUri], [['web'], ['db:write'], null])
})

test('a change that together with another would trust every party is refused by what is stored, not by what was read', async t => {
  const { store } = await makeWorld(t)
  const { alias } = await trusting(store, { parties: ['web'] })
  const outcomes = await Promise.all([
    store.issuers.change(alias, { tokenTypes: ['jwt'] }, CHANGE),
    store.issuers.change(alias, { parties: [] }, CHANGE),
  ])
  assert.equal(outcomes.filter(outcome => outcome !== undefined && 'refusal' in outcome).length, 1)
})

test('what changes is not taken from memory any more, in another process neither, and nothing changes no number', async t => {
  const world = await makeWorld(t)
  const { store } = world
  const other = await openTestedStore({ file: world.file, clock: world.clock, retention: null })
  t.after(() => other.close())
  const { alias } = await trusting(store)
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[alias], [alias]])
  await store.issuers.change(alias, { lifetimeSeconds: 60 }, CHANGE)
  assert.deepEqual(
    (await other.issuers.trusted()).issuers.map(({ lifetimeSeconds }) => lifetimeSeconds),
    [60],
  )
  await store.issuers.disable(alias, act('issuer.disable'))
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[], []])
  const seq = seqOf(world)
  await store.issuers.disable(alias, act('issuer.disable'))
  await store.issuers.change(alias, { lifetimeSeconds: 60 }, CHANGE)
  await store.issuers.change('nobody', { lifetimeSeconds: 15 }, CHANGE)
  assert.equal(seqOf(world), seq)
  await store.issuers.enable(alias, act('issuer.enable'))
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[alias], [alias]])
  await store.issuers.delete(alias, act('issuer.delete'))
  assert.deepEqual([await aliasesOf(store), await aliasesOf(other)], [[], []])
})

test('a page is in the order of bytes, and ends where the next begins', async t => {
  const { store } = await makeWorld(t)
  for (const alias of ['b', 'a-b', 'a', 'ab', '7']) await trusting(store, { alias })
  const first = await store.issuers.list({ filters: {}, after: null, limit: 3 })
  assert.deepEqual([first.records.map(({ alias }) => alias), first.next], [['7', 'a', 'a-b'], 'a-b'])
  const second = await store.issuers.list({ filters: {}, after: first.next, limit: 3 })
  assert.deepEqual([second.records.map(({ alias }) => alias), second.next], [['ab', 'b'], null])
})
