// The form of an agent's settings: it sends what differs, and the command beside it says the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, optionsFor } from '../src/agents/agent-fields.ts'

const BEFORE = {
  name: 'reports',
  scope: 'db:read',
  owner: 'Ada',
  labels: 'team=data\nstage=live',
  resources: 'https://a.example\nhttps://b.example',
  tokens_per_minute: '60',
  dpop_bound_access_tokens: 'on',
}

test('what was not touched is not sent, whatever ends its lines', () => {
  assert.deepEqual(changeOf({ ...BEFORE, labels: 'team=data\r\nstage=live ' }, BEFORE), {})
})

test('an empty field takes a setting away, and a label that is gone is removed', () => {
  const after = { ...BEFORE, owner: '', labels: 'team=money', resources: '', tokens_per_minute: '' }
  const change = changeOf({ ...after, dpop_bound_access_tokens: '' }, BEFORE)
  assert.deepEqual(change, {
    owner: null,
    labels: { stage: null, team: 'money' },
    resources: [],
    tokens_per_minute: null,
    dpop_bound_access_tokens: false,
  })
  assert.deepEqual(
    optionsFor(change).join(' '),
    [
      '--no-owner --remove-label stage --label team=money --no-resource --no-tokens-per-minute',
      '--no-dpop-bound-access-tokens',
    ].join(' '),
  )
})

test('a name that is emptied and a number that is none are sent as they are: the service says what is wrong', () => {
  const change = changeOf({ ...BEFORE, name: '', tokens_per_minute: '6o', scope: 'db:*' }, BEFORE)
  assert.deepEqual(change, { name: '', scope: 'db:*', tokens_per_minute: '6o' })
})

test('client ids at issuers are sent whole, and an option each; without any they are taken away', () => {
  const before = { issuer_clients: 'acme=a\nglobex=b' }
  const change = changeOf({ issuer_clients: 'acme=a\ninitech=x=y' }, before)
  assert.deepEqual(change, { issuer_clients: { acme: 'a', initech: 'x=y' } })
  assert.equal(optionsFor(change).join(' '), '--issuer-client acme=a --issuer-client initech=x=y')
  const none = changeOf({ issuer_clients: '' }, before)
  assert.deepEqual([none, optionsFor(none)], [{ issuer_clients: {} }, ['--no-issuer-client']])
})

test('own claims are sent whole and typed, as an option of JSON; what is no object goes as it is', () => {
  const before = { claims: '{"tenant_id": "acme"}' }
  const change = changeOf({ claims: '{\r\n "roles": ["a"],\r\n "level": 3, "a:b?c=d": "3"}' }, before)
  assert.deepEqual(change, { claims: { roles: ['a'], level: 3, 'a:b?c=d': '3' } })
  assert.deepEqual(optionsFor(change), ['--claims', '{"roles":["a"],"level":3,"a:b?c=d":"3"}'])
  for (const text of ['', '{ }']) {
    const none = changeOf({ claims: text }, before)
    assert.deepEqual([none, optionsFor(none)], [{ claims: {} }, ['--no-claims']])
  }
  for (const text of ['{"roles":', '{"a:b":1,"a:b":2}', 'null', 'false']) {
    const wrong = changeOf({ claims: text }, before)
    assert.deepEqual([wrong, optionsFor(wrong)], [{ claims: text }, ['--claims', text]])
  }
})

test('lists and labels are repeated options', () => {
  const change = changeOf({ acts_for: '* label:team=data', labels: 'a=1\nb=x=y' }, {})
  assert.equal(optionsFor(change).join(' '), '--label a=1 --label b=x=y --acts-for * --acts-for label:team=data')
})
