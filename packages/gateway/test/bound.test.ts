// Bound tokens at the gateway process: proofs of the original request, from where this gateway writes it, and certificates from peers
// that are trusted.
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import { CERTIFICATE } from '../../../testkit/keys/loopback-certificate.ts'
import { usePublisher } from '../../verify/test/fixtures.ts'
import { check, openGateway } from './gateway.ts'
import { ask, statusOf } from '../../verify/test/servers/ask.ts'
import { proofOf, thumbprint } from '../../verify/test/proofs.ts'

const publisher = usePublisher()
const key = makeProofKey()
const ORIGIN = 'https://api.example'
/** The path of the proofs. */
const PATH = '/v1/orders'

const bound = async (): Promise<string> => publisher.mint({ cnf: { jkt: await thumbprint(key) } }).token

const original = (method: string, target: string): readonly string[] => [
  'X-Original-Method',
  method,
  'X-Original-URI',
  target,
]
const forwarded = (method: string, target: string): readonly string[] => [
  'X-Forwarded-Method',
  method,
  'X-Forwarded-Uri',
  target,
]

/** A new proof each time, for GET of {@link PATH}. */
const present = (token: string, headers: readonly string[]): readonly string[] => [
  'Authorization',
  `DPoP ${token}`,
  'DPoP',
  proofOf(key, token),
  ...headers,
]

test('a bound token passes with a proof of the original request, from the one place that is configured', async t => {
  const token = await bound()
  for (const [place, own, foreign] of [
    ['x-original', original, forwarded],
    ['x-forwarded', forwarded, original],
  ] as const) {
    const { origin } = await openGateway(t, publisher, ['--origin', ORIGIN, '--request-from', place])
    const status = (...headers: readonly string[]) =>
      statusOf(ask(origin, '/check', { headers: present(token, headers) }))
    assert.equal(await status(...own('GET', PATH)), 200)
    assert.equal(await status(...own('GET', `${PATH}?page=2`)), 200)
    assert.equal(await status(...own('POST', PATH)), 401)
    assert.equal(await status(...own('GET', '/v1/admin')), 401)
    assert.equal(await status(...foreign('GET', PATH)), 401)
    assert.equal(await status(...own('POST', '/v1/admin'), ...foreign('GET', PATH)), 401)
    assert.equal(await status(...own('GET', PATH), ...own('GET', '/v1/admin')), 401)
    assert.equal(await status(...own('GET', '/v1/admin'), ...own('GET', PATH)), 401)
    assert.equal(await status(), 401)
  }
})

/** Each is {@link PATH} once a URL parser has resolved it, and to an API may be another one. */
const DOTTED = ['/admin/../v1/orders', '/v1/./orders', '/v1/x/%2e%2E/orders?page=2', '/v1/x/.%2e/orders', `/.${PATH}`]

test('in a target nothing stands that a URL parser reads as another path', async t => {
  const { origin } = await openGateway(t, publisher, ['--origin', ORIGIN, '--request-from', 'x-original'])
  const token = await bound()
  for (const target of [
    `${PATH}#/admin`,
    '/v1\\orders',
    `https://api.example${PATH}`,
    `//api.example${PATH}`,
    `${PATH} `.replace(' ', '\u00a0'),
    PATH.slice(1),
    `@evil.example${PATH}`,
    `.evil.example${PATH}`,
    ...DOTTED,
  ]) {
    assert.equal(
      await statusOf(ask(origin, '/check', { headers: present(token, original('GET', target)) })),
      401,
      target,
    )
  }
})

test('with the target behind /check the method and the path of the check count', async t => {
  const { origin } = await openGateway(t, publisher, ['--origin', ORIGIN, '--request-from', 'path'])
  const token = await bound()
  const status = (path: string, method = 'GET', headers: readonly string[] = []) =>
    statusOf(ask(origin, path, { method, headers: present(token, headers) }))
  assert.equal(await status(`/check${PATH}?page=2`), 200)
  assert.equal(await status(`/check${PATH}`, 'PUT'), 401)
  assert.equal(await status('/check/v1/admin', 'GET', [...original('GET', PATH), ...forwarded('GET', PATH)]), 401)
  assert.equal(await status('/check'), 401)
  for (const target of DOTTED) assert.equal(await status(`/check${target}`), 401, target)
})

test('without an origin a token with a key is 401, by either scheme', async t => {
  const { origin } = await openGateway(t, publisher, ['--request-from', 'x-original'])
  const token = await bound()
  assert.equal(await statusOf(ask(origin, '/check', { headers: present(token, original('GET', PATH)) })), 401)
  assert.equal(await statusOf(check(origin, token)), 401)
})

test('a proof passes once', async t => {
  const { origin } = await openGateway(t, publisher, ['--origin', ORIGIN, '--request-from', 'x-original'])
  const headers = present(await bound(), original('GET', PATH))
  assert.equal(await statusOf(ask(origin, '/check', { headers })), 200)
  const again = await ask(origin, '/check', { headers })
  assert.equal(again.status, 401)
  assert.match(String(again.headers['www-authenticate']), /^DPoP error="invalid_dpop_proof", .*algs="ES256 /)
})

const der = new X509Certificate(CERTIFICATE).raw
const x5t = createHash('sha256').update(der).digest('base64url')

const FORMS = {
  pem: encodeURIComponent(CERTIFICATE),
  base64: der.toString('base64'),
  rfc9440: `:${der.toString('base64')}:`,
  xfcc: `Hash=ab;Cert="${encodeURIComponent(CERTIFICATE)}";Subject="CN=a, O=b"`,
} as const

test('a token that is bound to a certificate passes with it in the header of a trusted peer, in the form that is configured', async t => {
  const { token } = publisher.mint({ cnf: { 'x5t#S256': x5t } })
  for (const [form, value] of Object.entries(FORMS)) {
    const args = ['--certificate-header', `X-Client-Cert ${form}`, '--trusted-peer', '127.0.0.0/8']
    const { origin } = await openGateway(t, publisher, args)
    const status = (...headers: readonly string[]) => statusOf(check(origin, token, '/check', headers))
    assert.equal(await status('X-Client-Cert', value), 200, form)
    assert.equal(await status('Client-Cert', value), 401)
    assert.equal(await status(), 401)
    assert.equal(await status('X-Client-Cert', ''), 401)
    assert.equal(await status('X-Client-Cert', `${value}%`), 401)
    assert.equal(await status('X-Client-Cert', value, 'X-Client-Cert', value), 401)
    for (const [other, text] of Object.entries(FORMS)) {
      if (other !== form) assert.equal(await status('X-Client-Cert', text), 401, `${other} as ${form}`)
    }
  }
})

test('the header of a certificate counts from no other peer, and not where none is configured', async t => {
  const { token } = publisher.mint({ cnf: { 'x5t#S256': x5t } })
  for (const peer of ['127.0.0.2', '10.0.0.0/8', '::1', 'unix']) {
    const { origin } = await openGateway(t, publisher, ['--certificate-header', 'X-C pem', '--trusted-peer', peer])
    assert.equal(await statusOf(check(origin, token, '/check', ['X-C', FORMS.pem])), 401, peer)
  }
  const { origin } = await openGateway(t, publisher)
  assert.equal(await statusOf(check(origin, token, '/check', ['X-Client-Cert', FORMS.pem])), 401)
})
