// The sign-in of operators in the console, and what a stranger, a foreign page or a provider that lies can do to it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Headers } from '../../../../testkit/callers/administration.ts'
import { actsIn } from '../../../../testkit/callers/audited-acts.ts'
import {
  type Begun,
  beginSignIn,
  cookieIn,
  finishSignIn,
  grantedTo,
  OWN_PAGE,
  signIn,
} from '../../../../testkit/callers/sessions.ts'
import { type Answer, send } from '../../../../testkit/callers/requests.ts'
import { CLIENT_ID, codeFor, type Granted } from '../../../../testkit/identity-providers/token-endpoint.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

let service: TestServer

before(async () => {
  service = await startServer({ path: '/auth' })
})
beforeEach(() => {
  service.provider.recover()
  service.provider.tokens.fault = undefined
})
after(() => service.close())

/** The name of the cookie of a sign-in. */
const nameOf = ({ cookie }: Begun): string => cookie.slice(0, cookie.indexOf('='))

/** Signs in with what the provider is made to answer. */
const signInWith = async (more: Partial<Granted>, jwt: Granted['jwt'] = {}): Promise<Answer> => {
  const begun = await beginSignIn(service)
  return finishSignIn(service, begun, { code: codeFor(grantedTo(begun, jwt, more)) })
}

const assertNotSignedIn = (answer: Answer, why: RegExp, status = 400): void => {
  assert.equal(answer.status, status, answer.text)
  assert.equal(cookieIn(answer, 'session'), '')
  assert.match(answer.text, why)
}

const NOT_NEEDED = /What the identity provider answered is not what a sign-in needs\./
const ELSEWHERE_BEGUN = /It took longer than ten minutes, or began in another browser\./
const CALLED_BACK = /This sign-in was called back before\./
const REFUSED = /The identity provider refused: invalid_grant\./

test('an operator signs in: state, nonce and PKCE to the provider, a strict cookie back, and the API takes it', async () => {
  const begun = await beginSignIn(service, '/auth/console/tokens?agent_id=7#x')
  assert.match(begun.cookie, new RegExp(`^__Host-mintmark-sign-in-[0-9a-f]{8}-${begun.query.get('state')}=[\\w-]+$`))
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(begun.query)
  for (const random of [state, nonce, challenge]) assert.match(random ?? '', /^[\w-]{43}$/)
  assert.deepEqual(rest, {
    client_id: CLIENT_ID,
    code_challenge_method: 'S256',
    redirect_uri: `${service.baseUrl}/console/callback`,
    response_type: 'code',
    scope: 'openid',
  })
  const code = codeFor(grantedTo(begun, { role: 'mintmark-viewer' }))
  const answer = await finishSignIn(service, begun, { code })
  assert.equal(answer.status, 303)
  assert.equal(answer.headers['location'], '/auth/console/tokens?agent_id=7#x')
  assert.match(
    answer.headers['set-cookie'] ?? '',
    /^__Host-mintmark-sign-in-[\w-]{52}=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Strict, __Host-mintmark-session-[0-9a-f]{8}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict, __Host-mintmark-last-session-[0-9a-f]{8}=[0-9a-f]{64}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const headers = { cookie: cookieIn(answer, 'session'), ...OWN_PAGE }
  const shown = await send(service, { path: '/console/session', headers })
  assert.equal(shown.status, 200)
  const { expires_at: _, ...session } = shown.json as { readonly expires_at: string }
  assert.deepEqual(session, {
    operator: { iss: service.provider.issuer, sub: 'operator-1', name: 'Ada' },
    role: 'viewer',
  })
  assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 200)
  const denied = await send(service, { path: '/api/v1/audit', headers })
  assert.equal(denied.status, 403)
})

test('a sign-in and a sign-out stand in the audit log as acts of the operator', async () => {
  const headers = await signIn(service, { sub: 'audited' })
  assert.equal((await send(service, { method: 'POST', path: '/console/sign-out', headers })).status, 204)
  const [created, ended] = [await actsIn(service, 'session.create'), await actsIn(service, 'session.end')]
  assert.deepEqual([created[0]?.subject, ended.length], [ended[0]?.subject, 1])
  for (const act of [created[0], ended[0]]) {
    assert.deepEqual(act?.actor, { type: 'operator', iss: service.provider.issuer, sub: 'audited' })
  }
  assert.equal((await send(service, { path: '/console/session', headers })).status, 401)
  assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 401)
  assert.equal((await send(service, { method: 'POST', path: '/console/sign-out', headers })).status, 401)
})

const ELSEWHERE = [
  '//evil.example',
  '\\\\evil.example',
  '/\\evil.example',
  'https://evil.example/auth/console/',
  'javascript:alert(1)',
  '/console/',
  '/auth/consoles',
  '/auth/console',
  '/auth/console/../../evil',
  '/auth/console/..//evil.example',
  '/auth/console/%2e%2e/%2E%2E/evil',
  '/auth/console/.%2e/',
  '/auth/console/x/../..',
  '/auth/console/\t/../x',
  '/auth/console/\\..\\..\\evil',
  '/auth/console/\0',
  '/auth/console/\ud800',
  ' /auth/console/',
  `/auth/console/${'x'.repeat(1000)}`,
  `/auth/console/?${'\\'.repeat(500)}`,
  '',
]

test('the sign-in leads back to the console and nowhere else, whatever address it was begun with', async () => {
  for (const to of ELSEWHERE) {
    const begun = await beginSignIn(service, to)
    const { headers } = await finishSignIn(service, begun, { code: codeFor(grantedTo(begun)) })
    const where = new URL(headers['location'] ?? '', service.baseUrl)
    assert.equal(where.origin, service.origin, to)
    assert.equal(where.pathname.startsWith('/auth/console/'), true, to)
  }
  for (const to of ['/auth/console/%2f/evil.example', '/auth/console//evil', '/auth/console/agents?q=..%2F..']) {
    const begun = await beginSignIn(service, to)
    const { headers } = await finishSignIn(service, begun, { code: codeFor(grantedTo(begun)) })
    assert.equal(headers['location'], to)
  }
})

test('`to` given twice, and a malformed query, lead home or are refused', async () => {
  const twice = await send(service, { path: '/console/sign-in?to=/auth/console/a&to=//evil.example' })
  assert.equal(twice.status, 302)
  assert.equal((await send(service, { path: '/console/sign-in?to=%ff' })).status, 400)
})

test('a callback needs the cookie of its own sign-in: without one, with another browser’s, or a forged one, nobody is signed in', async () => {
  const [mine, other] = [await beginSignIn(service), await beginSignIn(service)]
  const code = codeFor(grantedTo(mine))
  for (const cookie of [
    '',
    other.cookie,
    nameOf(mine),
    `${nameOf(mine)}=AAAA`,
    `${nameOf(mine)}${other.cookie.slice(nameOf(other).length)}`,
    `${mine.cookie}A`,
  ]) {
    assertNotSignedIn(
      await finishSignIn(service, { ...mine, cookie }, { code }),
      /sign-in (?:did|took)|not what a sign-in needs/,
    )
  }
  assert.equal((await finishSignIn(service, mine, { code })).status, 303)
})

test('state, nonce and code of another sign-in are refused', async () => {
  const [mine, other] = [await beginSignIn(service), await beginSignIn(service)]
  const state = other.query.get('state') ?? ''
  assertNotSignedIn(await finishSignIn(service, mine, { code: codeFor(grantedTo(mine)), state }), ELSEWHERE_BEGUN)
  assertNotSignedIn(await finishSignIn(service, mine, { code: codeFor(grantedTo(mine)), state: '' }), ELSEWHERE_BEGUN)
  // The code that an attacker got for themselves.
  assertNotSignedIn(await finishSignIn(service, mine, { code: codeFor(grantedTo(other)) }), REFUSED)
  const third = await beginSignIn(service)
  const foreignNonce = { ...grantedTo(third), nonce: grantedTo(other).nonce }
  assertNotSignedIn(await finishSignIn(service, third, { code: codeFor(foreignNonce) }), NOT_NEEDED)
})

test('a callback that is sent again signs nobody in, and one of ten minutes ago neither', async () => {
  const begun = await beginSignIn(service)
  const code = codeFor(grantedTo(begun))
  assert.equal((await finishSignIn(service, begun, { code })).status, 303)
  assertNotSignedIn(await finishSignIn(service, begun, { code }), CALLED_BACK)
  const late = await beginSignIn(service)
  service.clock.advance(600_000)
  assertNotSignedIn(await finishSignIn(service, late, { code: codeFor(grantedTo(late)) }), /longer than ten minutes/)
})

test('of 30 callbacks of a sign-in with made-up codes one asks the provider, and the right code is then too late', async () => {
  const begun = await beginSignIn(service)
  const asked = (): number => service.provider.tokens.asked.get('authorization_code') ?? 0
  const askedBefore = asked()
  const callbacks = Array.from({ length: 30 }, (_, n) => finishSignIn(service, begun, { code: `made-up-${n}` }))
  const whys = (await Promise.all(callbacks)).map(({ text }) => CALLED_BACK.test(text))
  assert.equal(whys.filter(Boolean).length, 29)
  assertNotSignedIn(await finishSignIn(service, begun, { code: codeFor(grantedTo(begun)) }), CALLED_BACK)
  assert.equal(asked(), askedBefore + 1)
  await signIn(service)
})

test('HEAD neither begins nor finishes a sign-in: it is 405 as POST is, and the GET after it signs in', async () => {
  const head = async (path: string, headers: Headers = {}): Promise<void> => {
    for (const method of ['HEAD', 'POST']) {
      const answer = await send(service, { method, path, headers })
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET'], method)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  }
  await head('/console/sign-in')
  const begun = await beginSignIn(service)
  const code = codeFor(grantedTo(begun))
  const back = new URLSearchParams({ state: begun.query.get('state') ?? '', code })
  await head(`/console/callback?${back.toString()}`, { cookie: begun.cookie })
  assert.equal((await finishSignIn(service, begun, { code })).status, 303)
})

test('a callback with another state finishes nothing, and leaves the cookies of sign-ins alone', async () => {
  const begun = await beginSignIn(service)
  const code = codeFor(grantedTo(begun))
  const state = begun.query.get('state') ?? ''
  for (const other of ['', 'x', `${state}x`, state.slice(1), 'A'.repeat(43), '\0', '__proto__']) {
    const answer = await finishSignIn(service, begun, { code, state: other })
    assertNotSignedIn(answer, ELSEWHERE_BEGUN)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  const twice = `/console/callback?${new URLSearchParams({ code, state }).toString()}&state=${state}`
  assertNotSignedIn(await send(service, { path: twice, headers: { cookie: begun.cookie } }), ELSEWHERE_BEGUN)
  assert.equal((await finishSignIn(service, begun, { code })).status, 303)
})

test('what the provider says in the address is named only where it is the name of an error, and never as HTML', async () => {
  const begun = await beginSignIn(service)
  assertNotSignedIn(await finishSignIn(service, begun, { error: 'access_denied' }), /refused: access_denied\./)
  for (const error of ['<script>alert(1)</script>', 'x'.repeat(61), 'a b', 'é']) {
    const next = await beginSignIn(service)
    const answer = await finishSignIn(service, next, { error, error_description: '<b>x</b>' })
    assertNotSignedIn(answer, NOT_NEEDED)
    assert.doesNotMatch(answer.text, /<script|<b>/)
    assert.match(answer.headers['content-security-policy'] ?? '', /^default-src 'none'/)
  }
})

test('an ID token of another client, issuer or time, an opaque access token and none at all sign nobody in', async () => {
  for (const id of [
    { aud: 'another-client' },
    { iss: 'https://evil.example' },
    { exp: 1 },
    { aud: [CLIENT_ID, 'x'] },
  ]) {
    assertNotSignedIn(await signInWith({ id }), NOT_NEEDED)
  }
  assertNotSignedIn(await signInWith({ answer: { token_type: 'Bearer', access_token: 'opaque' } }), NOT_NEEDED)
  assertNotSignedIn(await signInWith({ answer: { token_type: 'Bearer' } }), NOT_NEEDED)
  const noJwt = /gave no JWT for this service/
  assertNotSignedIn(await signInWith({}, { aud: 'https://elsewhere.example' }), noJwt)
  assertNotSignedIn(await signInWith({}, { iss: 'https://elsewhere.example' }), noJwt)
  assertNotSignedIn(await signInWith({}, { exp: 1 }), noJwt)
  assertNotSignedIn(await signInWith({}, { exp: 'never' }), noJwt)
  const log = service.log()
  assert.doesNotMatch(log, /"jwt":|eyJ/)
  // The page says nothing of use to strangers, and refers to the log.
  for (const cause of [/"inside":"[^"]*aud/, /"inside":"[^"]*iss/, /"inside":"[^"]*exp/]) assert.match(log, cause)
})

test('a provider that fails or answers HTML is said so, and the next sign-in succeeds', async () => {
  const begun = await beginSignIn(service)
  service.provider.tokens.fault = 'html'
  assertNotSignedIn(await finishSignIn(service, begun, { code: codeFor(grantedTo(begun)) }), NOT_NEEDED)
  service.provider.tokens.fault = 'error'
  const next = await beginSignIn(service, '/auth/console/tokens?scope=db:read')
  const back = { code: codeFor(grantedTo(next)), to: '/auth/console/audit' }
  const answer = await finishSignIn(service, next, back)
  assertNotSignedIn(answer, /The identity provider does not answer: sign in again\./, 503)
  assert.match(answer.text, /<a href="\/auth\/console\/tokens\?scope=db:read">Back to the console/)
  assert.match((await finishSignIn(service, { ...next, cookie: '' }, back)).text, /<a href="\/auth\/console\/">/)
  assert.equal(answer.headers['retry-after'] !== undefined, true)
  service.provider.tokens.fault = undefined
  await signIn(service)
})

test('a provider that refuses the client of the console is said so, to the operator and in the log', async () => {
  const begun = await beginSignIn(service)
  service.provider.tokens.fault = { status: 401, error: 'invalid_client' }
  const answer = await finishSignIn(service, begun, { code: codeFor(grantedTo(begun)) })
  assertNotSignedIn(answer, /The identity provider refused: invalid_client\./, 503)
  assert.match(service.log(), /"reason":"the client of the console is not taken: [^"]* invalid_client\."/)
})

test('an operator without a role signs in, and may see nothing', async () => {
  const headers = await signIn(service, { roles: [] })
  const { role } = (await send(service, { path: '/console/session', headers })).json as { readonly role: unknown }
  assert.equal(role, null)
  assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 403)
})
