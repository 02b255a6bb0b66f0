// The shares of open compound cut-offs: how many each kind of caller may have, and which one a full share refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../src/domain/audit/act.ts'
import { exhaustedShare, type OpenAct } from '../../src/domain/ledger/cut-off-shares.ts'

const key = (id: string): Actor => ({ type: 'api_key', id })
const operator = (sub: string, iss = 'https://idp.example'): Actor => ({ type: 'operator', iss, sub })
const revocation = (actor: Actor): OpenAct => ({ kind: 'revocation.create', actor })
const change = (actor: Actor): OpenAct => ({ kind: 'agent.change', actor })

const times = (count: number, act: (n: number) => OpenAct): readonly OpenAct[] =>
  Array.from({ length: count }, (_, n) => act(n))

const assertFull = (open: readonly OpenAct[], act: OpenAct, max: number, of: string): void => {
  const full = exhaustedShare(open, act)
  assert.deepEqual([full?.max, full?.of], [max, of])
  assert.equal(exhaustedShare(open.slice(1), act), undefined)
}

const assertRoom = (open: readonly OpenAct[], act: OpenAct): void => assert.equal(exhaustedShare(open, act), undefined)

test('an API key may have eight, revocations or not, and another key is not in its way', () => {
  for (const make of [revocation, change]) {
    const eight = times(8, () => make(key('a')))
    assertFull(eight, revocation(key('a')), 8, 'acts of this API key')
    assertFull(eight, change(key('a')), 8, 'acts of this API key')
    assertRoom(eight, revocation(key('b')))
    assertRoom(eight, revocation(operator('a')))
  }
})

test('one caller may have 32 revocations, and changes of agents beside them', () => {
  const open = times(32, () => revocation(operator('ada')))
  assertFull(open, revocation(operator('ada')), 32, 'revocations by this caller')
  assertRoom(open, change(operator('ada')))
  assertRoom(open, revocation(operator('bob')))
  assertRoom(open, revocation(operator('ada', 'https://other.example')))
  assertRoom(
    times(32, () => change(operator('ada'))),
    revocation(operator('ada')),
  )
})

test('all API keys together may have 32', () => {
  const open = times(32, n => change(key(`key ${n % 8}`)))
  assertFull(open, revocation(key('new')), 32, 'acts of API keys')
  assertFull(open, change(key('new')), 32, 'acts of API keys')
  assertRoom(open, revocation(operator('ada')))
})

test('all revocations together may be 48, and a change of an agent may be the 64th of all', () => {
  const revocations = times(48, n => revocation(operator(`operator ${n % 4}`)))
  assertFull(revocations, revocation(operator('new')), 48, 'revocations')
  assertRoom(revocations, change(operator('new')))
  const all = [...revocations, ...times(16, n => change(operator(`operator ${n}`)))]
  assertFull(all, change(operator('new')), 64, 'revocations and changes of agents')
  assertRoom(all.slice(1), change(operator('new')))
})

test('callers without an id, and those of one id and another kind, are distinguished', () => {
  const open = times(32, () => revocation({ type: 'system' }))
  assertFull(open, revocation({ type: 'system' }), 32, 'revocations by this caller')
  const cli = times(32, () => revocation({ type: 'cli', id: 'a' }))
  assertFull(cli, revocation({ type: 'cli', id: 'a' }), 32, 'revocations by this caller')
  assertRoom(cli, revocation({ type: 'cli', id: 'b' }))
  assertRoom(cli, revocation(key('a')))
})
