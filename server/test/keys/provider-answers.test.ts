// What an identity provider answers to the sign-in, read: faults, tokens, names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { explainFault, kindOfFault, nameIn, tokensOf } from '../../src/keys/providers/provider-answers.ts'

const NOTHING_KNOWN = 'What the identity provider answered is not what a sign-in needs.'

const bodyError = (status: number, error: string): unknown => {
  const response = new Response('{}', { status })
  return new oidc.ResponseBodyError('refused', { cause: { error }, response })
}

const refusedAtOnce = (error: string): unknown =>
  new oidc.AuthorizationResponseError('refused', { cause: new URLSearchParams({ error }) })

const clientError = (code: string, cause?: unknown): unknown =>
  Object.assign(new oidc.ClientError('odd', { cause }), { code })

const unauthorized = new Response('', { status: 401 })

test('a fault is the provider’s own word, an outage, or none that we know', () => {
  const kinds = (faults: readonly unknown[]) => faults.map(fault => kindOfFault(oidc, fault))
  assert.deepEqual(kinds([refusedAtOnce('invalid_client'), bodyError(400, 'invalid_grant')]), ['refused', 'refused'])
  const ofClient = [bodyError(400, 'invalid_client'), bodyError(401, 'x'), clientError('OAUTH_X', unauthorized)]
  assert.deepEqual(kinds(ofClient), ['client_refused', 'client_refused', 'client_refused'])
  assert.deepEqual(kinds([bodyError(500, 'x'), bodyError(503, 'x'), bodyError(429, 'x')]), [
    'outage',
    'outage',
    'outage',
  ])
  const busy = ['temporarily_unavailable', 'server_error']
  assert.deepEqual(kinds(busy.map(error => bodyError(400, error))), ['outage', 'outage'])
  assert.deepEqual(kinds(busy.map(refusedAtOnce)), ['refused', 'refused'])
  assert.deepEqual(kinds([bodyError(499, 'x'), bodyError(428, 'x')]), ['refused', 'refused'])
  assert.deepEqual(kinds([new Error('no route'), 'x', undefined]), ['outage', 'outage', 'outage'])
  assert.deepEqual(kinds([clientError('OAUTH_TIMEOUT'), clientError('OAUTH_ABORT')]), ['outage', 'outage'])
  const answers = [502, 429, 404].map(status =>
    clientError('OAUTH_RESPONSE_IS_NOT_CONFORM', new Response('', { status })),
  )
  assert.deepEqual(kinds([...answers, clientError('OAUTH_X')]), ['outage', 'outage', 'other', 'other'])
})

test('of a fault the operator reads at most the name of an error', () => {
  assert.equal(explainFault(oidc, refusedAtOnce('access_denied')), 'The identity provider refused: access_denied.')
  assert.equal(explainFault(oidc, bodyError(400, 'invalid_grant')), 'The identity provider refused: invalid_grant.')
  const unnamed = explainFault(oidc, clientError('OAUTH_X', unauthorized))
  assert.equal(unnamed, 'The identity provider refused: invalid_client.')
  const longest = 'a'.repeat(60)
  assert.equal(explainFault(oidc, refusedAtOnce(longest)), `The identity provider refused: ${longest}.`)
  for (const name of ['a'.repeat(61), 'Access', 'a b', '<b>', 'a\n', ' a', '']) {
    assert.equal(explainFault(oidc, refusedAtOnce(name)), NOTHING_KNOWN, name)
  }
  assert.equal(explainFault(oidc, new Error('access_denied')), NOTHING_KNOWN)
})

const jwtOf = (payload: unknown): string => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`

test('tokens are kept with the expiry that the JWT says, and the earlier refresh token where there is no other', () => {
  const kept = (accessToken: string, refreshToken?: string) =>
    tokensOf(
      {
        access_token: accessToken,
        token_type: 'bearer',
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      } as never,
      { earlier: 'earlier', now: 1000 },
    )
  assert.deepEqual(kept(jwtOf({ exp: 5 }), 'new'), {
    jwt: jwtOf({ exp: 5 }),
    refreshToken: 'new',
    expiresAt: 5000,
    renewFrom: 4000,
  })
  assert.equal(kept(jwtOf({ exp: 5 })).refreshToken, 'earlier')
  const expiries = [0, 1.2345, 1e12, 1e12 + 1, 1e300].map(exp => kept(jwtOf({ exp })).expiresAt)
  assert.deepEqual(expiries, [0, 1234, 1e15, 1e15, 1e15])
  for (const payload of [{ exp: -1 }, { exp: '5' }, {}, null, 5, 'x', []]) {
    assert.equal(kept(jwtOf(payload)).expiresAt, 0, JSON.stringify(payload))
  }
  for (const text of ['', 'x', 'a.b.c', '...']) assert.equal(kept(text).expiresAt, 0, text)
})

test('an operator is called by the first claim that is a text', () => {
  assert.equal(nameIn({ name: 'Ada', preferred_username: 'ada', email: 'a@x' }), 'Ada')
  assert.equal(nameIn({ name: '', preferred_username: 'ada', email: 'a@x' }), 'ada')
  assert.equal(nameIn({ name: 5, preferred_username: 'a\0b', email: 'a@x' }), 'a@x')
  assert.equal(nameIn({ name: '\ud800', email: null }), null)
  assert.equal(nameIn({}), null)
  assert.equal(nameIn({ name: 'x'.repeat(201) }), 'x'.repeat(200))
  assert.equal(nameIn({ name: `${'x'.repeat(199)}😀` }), `${'x'.repeat(199)}\ufffd`)
})
