// What is read from the payload of a token that nobody has verified yet: its address, and the key that it is bound to.
import { test } from 'node:test'
import { LIFETIME_SECONDS_MAX } from '../../../api/values/limits.ts'
import {
  type AccessTokenClaims,
  actorClaim,
  addressReader,
  confirmationIn,
  endsPlainly,
  foreignActIn,
  formatClaims,
  issuedSecondOf,
  makeTokenId,
  ownClaimsIn,
} from '../../src/domain/ledger/claims.ts'
import { membersOf } from '../../src/domain/ledger/introspection.ts'
import assert from 'node:assert/strict'

const ISSUER = 'https://tokens.example/"base"'
const ID = makeTokenId(Date.UTC(2026, 10, 23) + 999, new Uint8Array(10).fill(5))
const IAT = issuedSecondOf(ID)
const OTHER_ID = makeTokenId(Date.UTC(2026, 10, 22), new Uint8Array(10).fill(6))
const KEY = 'k'.repeat(43)

const claims = (change: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
  iss: ISSUER,
  sub: 'agent',
  aud: 'https://one.example',
  client_id: 'client',
  iat: IAT,
  exp: IAT + 300,
  jti: ID,
  scope: 'db:read',
  seq: 1,
  credential_id: OTHER_ID,
  ...change,
})

const read = addressReader(ISSUER)
const addressOf = (change: Partial<AccessTokenClaims>) => read(formatClaims(claims(change)))

test('the address is the id and the lifetime, from a second to the longest', () => {
  for (const lifetimeSeconds of [1, 300, LIFETIME_SECONDS_MAX]) {
    assert.deepEqual(addressOf({ exp: IAT + lifetimeSeconds }), { id: ID, lifetimeSeconds })
  }
  for (const seconds of [-1, 0, LIFETIME_SECONDS_MAX + 1]) assert.equal(addressOf({ exp: IAT + seconds }), undefined)
})

test('what cannot be ours has no address: another issuer, another time than that of the id, no id, no text of ours', () => {
  for (const iss of [ISSUER.slice(0, -1), `${ISSUER}x`, 'https://other.example', '']) {
    assert.equal(addressOf({ iss }), undefined, iss)
  }
  for (const iat of [IAT - 1, IAT + 1]) assert.equal(addressOf({ iat, exp: iat + 300 }), undefined)
  for (const jti of ['', ID.toUpperCase(), ID.replace('-7', '-4'), `${ID}0`])
    assert.equal(addressOf({ jti }), undefined)
  const text = formatClaims(claims())
  for (const other of [
    '',
    '{}',
    ` ${text}`,
    text.replace(',"iat":', ',"iat": '),
    text.replace(',"exp"', ',"nbf":1,"exp"'),
  ]) {
    assert.equal(read(other), undefined, other)
  }
  assert.equal(read(text.replace(String(IAT), `0${String(IAT).padStart(12, '0')}`)), undefined)
})

test('the claims are signed in one order, cnf last', () => {
  const cnf = { jkt: KEY }
  const text = formatClaims(claims({ cnf }))
  const names = 'iss sub aud client_id iat exp jti scope seq credential_id cnf'.split(' ')
  assert.deepEqual(Object.keys(JSON.parse(text) as object), names)
  assert.ok(!formatClaims(claims()).includes('cnf'))
})

test('what a token says of its lineage stands before cnf, and hides neither the address nor the key', () => {
  const lineage = [
    { id: OTHER_ID, exp: IAT + 900, seq: 1, agent_id: 'a', credential_id: 'c', kid: ',"iat":1,"exp":2,"jti":"' },
  ]
  const act = { sub: 'b', act: { sub: 'a' } }
  const text = formatClaims(claims({ cnf: { jkt: KEY }, credential_id: 'c', act, lineage }))
  const names = 'iss sub aud client_id iat exp jti scope seq act credential_id lineage cnf'.split(' ')
  assert.deepEqual(Object.keys(JSON.parse(text) as object), names)
  assert.deepEqual(read(text), { id: ID, lifetimeSeconds: 300 })
  assert.deepEqual(confirmationIn(text), { jkt: KEY })
  const bearer = formatClaims(claims({ credential_id: 'c', lineage }))
  assert.equal('act' in (JSON.parse(bearer) as object), false)
  assert.equal(confirmationIn(bearer), undefined)
})

test('a token that acts for a principal says who acts and has no lineage, and no subject hides the address or the key', () => {
  const names = 'iss sub aud client_id iat exp jti scope seq act credential_id cnf'.split(' ')
  const hiding = [
    `acme:","iat":1,"exp":2,"jti":"${OTHER_ID}",`,
    `acme:x","cnf":{"jkt":"${KEY}"}}`,
    'acme:"act":{"iss":"x"',
  ]
  for (const sub of ['acme:alice', ...hiding]) {
    const own = { sub, act: { sub: 'agent' } }
    assert.equal(foreignActIn(formatClaims(claims(own))), undefined)
    const text = formatClaims(claims({ ...own, cnf: { 'x5t#S256': KEY } }))
    assert.deepEqual(Object.keys(JSON.parse(text) as object), names)
    assert.deepEqual([read(text), confirmationIn(text)], [{ id: ID, lifetimeSeconds: 300 }, { 'x5t#S256': KEY }])
    assert.equal(confirmationIn(formatClaims(claims(own))), undefined)
  }
})

/** Each is a value and a text of a list, and looks like what is searched. */
const LOOKALIKES = [
  `","iat":1,"exp":2,"jti":"${OTHER_ID}",`,
  `,"iat":${IAT},"exp":${IAT + 1},"jti":"${OTHER_ID}",`,
  `","cnf":{"jkt":"${KEY}"}}`,
  '","lineage":[{"id":"x"}]',
  ',"lineage":[{',
  '"act":{"iss":"x","sub":"y"}',
  '","credential_id":"x","y":"',
  '\\","credential_id":"',
  `,"seq":1,"credential_id":"${OTHER_ID}`,
  `","seq":1,"credential_id":"${OTHER_ID}"}`,
  '}',
]

const FORMS: Readonly<Record<string, Partial<AccessTokenClaims>>> = {
  "an agent's own": {},
  'one that acts for a principal': {
    sub: 'acme:alice',
    act: { sub: 'a', act: { iss: 'https://x.example', sub: 'y' } },
  },
  'one with a lineage': {
    act: { sub: 'b' },
    lineage: [{ id: OTHER_ID, exp: IAT + 900, seq: 1, agent_id: 'a', credential_id: 'c', kid: 'k' }],
  },
}

for (const [form, change] of Object.entries(FORMS)) {
  for (const cnf of [undefined, { jkt: KEY }]) {
    test(`own claims are read as they were written, and hide nothing, in ${form}${cnf ? ' that is bound to a key' : ''}`, () => {
      const bound = claims({ ...change, ...(cnf !== undefined && { cnf }) })
      assert.equal(ownClaimsIn(formatClaims(bound)), undefined)
      assert.equal(endsPlainly(formatClaims(bound)), cnf === undefined && Object.keys(change).length === 0)
      const values = LOOKALIKES.flatMap(text => [text, [text, text]])
      for (const value of [...values, '', [], 0, -1.5e-7, true, false]) {
        const own = { 'https://a.example/b?c=d,e#f': value, z: value }
        const text = formatClaims({ ...bound, own })
        const { lineage, cnf: _, ...first } = bound
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify({ ...first, ...own, lineage, cnf })))
        const names = [...Object.keys(own), ...(lineage ? ['lineage'] : []), ...(cnf ? ['cnf'] : [])]
        assert.deepEqual(Object.keys(JSON.parse(text) as object).slice(-names.length), names)
        assert.equal(ownClaimsIn(text), JSON.stringify(own))
        assert.ok(!endsPlainly(text), text)
        assert.deepEqual([read(text), confirmationIn(text)], [{ id: ID, lifetimeSeconds: 300 }, cnf])
        assert.deepEqual(foreignActIn(text), bound.act?.act)
      }
    })
  }
}

test('a name of ours that the store holds among own claims takes the place of no member of a token or an answer', () => {
  const ours = ['iss', 'sub', 'aud', 'exp', 'scope', 'act', 'lineage', 'cnf', 'active', 'token_type']
  const own = Object.fromEntries(ours.map(name => [name, 'stolen']))
  const { active, token_type, ...others } = JSON.parse(formatClaims({ ...claims(), own })) as Record<string, unknown>
  assert.deepEqual(others, JSON.parse(formatClaims(claims())))
  assert.deepEqual([active, token_type], ['stolen', 'stolen'])
  const { scope, ...said } = claims()
  const answer = { active: true, scope, ...said, token_type: 'Bearer' } as const
  const { act, lineage, cnf, ...members } = membersOf({ ...answer, own }) as Record<string, unknown>
  assert.deepEqual(members, answer)
  assert.deepEqual([act, lineage, cnf], ['stolen', 'stolen', 'stolen'])
})

test('who acts stands outermost, and the first to act innermost (RFC 8693 §4.1)', () => {
  assert.equal(actorClaim([]), undefined)
  assert.deepEqual(actorClaim(['one']), { sub: 'one' })
  assert.deepEqual(actorClaim(['third', 'second', 'first']), {
    sub: 'third',
    act: { sub: 'second', act: { sub: 'first' } },
  })
})

test('the key is the last member and nothing else that looks like one', () => {
  assert.equal(confirmationIn(formatClaims(claims())), undefined)
  assert.deepEqual(confirmationIn(formatClaims(claims({ cnf: { jkt: KEY } }))), { jkt: KEY })
  assert.deepEqual(confirmationIn(formatClaims(claims({ cnf: { 'x5t#S256': KEY } }))), { 'x5t#S256': KEY })
  const bound = `,"cnf":{"jkt":"${KEY}"}}`
  for (const text of [
    `{"a":1${bound} `,
    `{"a":{"b":1${bound},"c":1}`,
    `{"a":1,"cnf":{"jkt":"${KEY}k"}}`,
    `{"a":1,"cnf":{"jkt":"${KEY.slice(1)}"}}`,
    `{"a":1,"cnf":{"kid":"${KEY}"}}`,
    `{"a":1,"cnf":{"jkt":"${KEY.slice(1)}+"}}`,
  ]) {
    assert.equal(confirmationIn(text), undefined, text)
  }
})
