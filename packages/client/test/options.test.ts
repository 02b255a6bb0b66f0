// Options that are wrong: named before anything is sent, with what was expected.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AdministrationOptions, createAdministration } from '../src/administration/create-administration.ts'
import { createTokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import { json, type LyingServer, startLyingServer } from './lying-server.ts'

const KEY = 'mma_key'
const SOURCE = 'createTokenSource: '
const ADMINISTRATION = 'createAdministration: '
let server: LyingServer

before(async () => {
  server = await startLyingServer(json(200, {}))
})
after(() => server.close())

const tokenOptions = (options: Partial<TokenSourceOptions>): TokenSourceOptions => ({
  tokenEndpoint: `${server.url}/token`,
  clientId: 'reports',
  clientSecret: 'mmc_secret',
  ...options,
})

const connect = (options: Partial<AdministrationOptions> = {}) =>
  createAdministration({ url: server.url, apiKey: KEY, ...options })

test('an option that is wrong, or that there is not, is named at once', () => {
  for (const [options, message] of [
    [{ tokenEndpoint: undefined }, /^Neither issuer nor tokenEndpoint/],
    [{ tokenEndpoint: 'http://auth.example/token' }, /^tokenEndpoint is not of https/],
    [{ issuer: 'auth.example' }, /^issuer is not an absolute URL/],
    [{ issuer: 'https://user:pass@auth.example' }, /^issuer holds a user/],
    [{ clientId: undefined }, /^clientId is missing/],
    [{ clientSecret: undefined }, /^0 credentials are given; expected exactly one of/],
    [{ clientSecretFile: 'x' }, /^2 credentials are given/],
    [{ clientSecret: '' }, /^clientSecret is not one line of 1 to 8192 characters/],
    [{ clientSecret: 'x'.repeat(8_193) }, /^clientSecret is not one line/],
    [{ clientSecret: '\uD800' }, /^clientSecret is not one line/],
    [{ clientId: '' }, `${SOURCE}clientId is not a string that is not empty.`],
    [{ clientSecretFile: '' }, `${SOURCE}clientSecretFile is not a string that is not empty.`],
    [{ privateKeyFile: '' }, `${SOURCE}privateKeyFile is not a string that is not empty.`],
    [{ workloadTokenFile: '' }, `${SOURCE}workloadTokenFile is not a string that is not empty.`],
    [{ scopes: ['db:read db:write'] }, /^scopes holds "db:read db:write"; expected one item/],
    [{ timeoutMs: 0 }, `${SOURCE}timeoutMs is not a whole number from 1 to 300000.`],
    [{ timeoutMs: 300_001 }, `${SOURCE}timeoutMs is not a whole number from 1 to 300000.`],
    [{ timeoutMs: '50' }, `${SOURCE}timeoutMs is not a whole number from 1 to 300000.`],
    [{ scope: 'db:read' }, /^createTokenSource: "scope" is not an option\. Expected any of: issuer, .*, scopes, /],
    [{ scope: undefined }, /^createTokenSource: "scope" is not an option/],
    [{ clientID: 'reports' }, /^createTokenSource: "clientID" is not an option/],
    [{ constructor: 'reports' }, /^createTokenSource: "constructor" is not an option/],
    ...['db:read', Array.from({ length: 1 }), [], ['']].map(
      scopes => [{ scopes }, `${SOURCE}scopes is not an array of at least one string, none of them empty.`] as const,
    ),
    ...[['https://a.example', 1], ['https://a.example', ''], [], ''].map(
      resource =>
        [{ resource }, /^createTokenSource: resource is not a string that is not empty, or an array of/] as const,
    ),
    ...[null, '', 'two words', 'Bearer eyJ.a.b'].map(
      subjectToken =>
        [
          { subjectToken },
          `${SOURCE}subjectToken is not the text of a token (RFC 6750), or a function that returns it.`,
        ] as const,
    ),
    [
      { subjectToken: undefined },
      `${SOURCE}subjectToken is undefined. Expected the text of a token (RFC 6750), or a function that returns it, or no subjectToken.`,
    ],
    [{ subjectTokenType: 'id_token' }, /^subjectTokenType is given without subjectToken\.$/],
    [
      { subjectToken: 'a.b.c', subjectTokenType: 'saml2' },
      /^createTokenSource: subjectTokenType is not one of access_/,
    ],
    [{ assertion: 'a.b.c' }, `${SOURCE}assertion is not a function.`],
    [{ assertion: undefined }, `${SOURCE}assertion is undefined. Expected a function, or no assertion.`],
    [{ assertion: () => 'a.b.c', subjectToken: 'a.b.c' }, /^subjectToken and assertion are both given; expected one/],
    [{ scopes: undefined }, /^createTokenSource: scopes is undefined\. Expected an array/],
    [{ resource: undefined }, /^createTokenSource: resource is undefined\. Expected a string/],
    [{ dpop: 'false' }, `${SOURCE}dpop is not a boolean.`],
    [
      { clientSecretMethod: 'basic' },
      `${SOURCE}clientSecretMethod is not one of client_secret_post, client_secret_basic.`,
    ],
    [{ onRefreshFailure: {} }, `${SOURCE}onRefreshFailure is not a function.`],
    [{ privateKey: 'MII' }, `${SOURCE}privateKey is not a JWK, or an object with a CryptoKey as key.`],
  ] as const) {
    assert.throws(() => createTokenSource(tokenOptions(options as object)), { name: 'TypeError', message })
  }
  for (const options of [undefined, null, 'https://auth.example']) {
    const message = `${SOURCE}the options are not an object.`
    assert.throws(() => createTokenSource(options as never), { name: 'TypeError', message })
  }
  createTokenSource(tokenOptions({ timeoutMs: 300_000 }))
  createTokenSource(tokenOptions({ clientSecret: 'x'.repeat(8_192) }))
  createTokenSource(tokenOptions({ tokenEndpoint: 'http://auth.example/token', allowInsecureRequests: true }))
})

test('an option of getToken that there is not, or that is no signal, is named before anything is asked', async () => {
  const source = createTokenSource(tokenOptions({}))
  const asked = server.received.length
  for (const [options, message] of [
    [{ timeoutMs: 50 }, 'getToken: "timeoutMs" is not an option. Expected any of: signal.'],
    [{ signal: new AbortController() }, 'getToken: signal is not an AbortSignal.'],
    [null, 'getToken: the options are not an object.'],
  ] as const) {
    await assert.rejects(source.getToken(options as object), { name: 'TypeError', message })
  }
  assert.equal(server.received.length, asked)
})

/** What lacks a member that is used, as a stub of a test may. */
const HALF_A_SIGNAL = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined }

test('a signal that is only half of one is named, wherever it is given', async () => {
  const source = createTokenSource(tokenOptions({}))
  const asked = server.received.length
  const signal = HALF_A_SIGNAL as never
  const message = /: signal is not an AbortSignal\.$/
  await assert.rejects(source.getToken({ signal }), { name: 'TypeError', message })
  await assert.rejects(source.fetch(server.url, { signal }), { name: 'TypeError', message })
  await assert.rejects(connect().showStatus({ signal }), { name: 'TypeError', message })
  assert.equal(server.received.length, asked)
})

test('a base URL to which no path can be added is named, and no request goes to another address', () => {
  const wrong = [
    'https://auth.example?',
    'https://auth.example/#',
    'https://auth.example/?x=1',
    'https://auth.example/a b',
    'https://auth.example/\\',
  ]
  for (const address of [
    ...wrong,
    ...[' ', '\n', '\t', '\0'].flatMap(one => [`${one}https://auth.example`, `https://auth.example${one}`]),
  ]) {
    for (const [option, make] of [
      ['url', () => connect({ url: address })],
      ['issuer', () => createTokenSource(tokenOptions({ issuer: address }))],
    ] as const) {
      const message = new RegExp(`^${option} has a query, a fragment, a space, .*; expected the base URL .* alone`)
      assert.throws(make, { name: 'TypeError', message }, JSON.stringify([option, address]))
    }
  }
  for (const address of ['https:auth.example', 'https:/auth.example', 'https:///auth.example']) {
    const message = /is not an absolute URL of https/
    assert.throws(() => connect({ url: address }), { name: 'TypeError', message })
    assert.throws(() => createTokenSource(tokenOptions({ tokenEndpoint: address })), { name: 'TypeError', message })
  }
  for (const tokenEndpoint of ['https://auth.example/token#', ' https://auth.example/token']) {
    assert.throws(
      () => createTokenSource(tokenOptions({ tokenEndpoint })),
      /^TypeError: tokenEndpoint has a fragment, a space/,
    )
  }
  // RFC 6749 §3.2 allows a query there.
  createTokenSource(tokenOptions({ tokenEndpoint: 'https://auth.example/token?tenant=a&x=?' }))
})

test('a private key that cannot sign here is the mistake of the caller, and is not printed', async () => {
  for (const privateKey of [
    { kty: 'oct', k: 'c2VjcmV0' },
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: 'c2VjcmV0' },
  ]) {
    const source = createTokenSource(tokenOptions({ clientSecret: undefined, privateKey }))
    await assert.rejects(source.getToken(), error => {
      assert.ok(!String(error).includes('c2VjcmV0'))
      return error instanceof TypeError && error.message.startsWith('privateKey is a JWK')
    })
  }
})

const OPTIONS = 'url, apiKey, operatorJwt, cookie, fetch, timeoutMs, allowInsecureRequests'

const CREDENTIAL = 'one line of printable ASCII without spaces, of 1 to 8192 characters'

test('an option that is wrong, or a credential that no header holds, is named at once', async () => {
  for (const [options, message] of [
    [{ url: 'http://auth.example' }, /^url is not of https/],
    [{ url: 'https://auth.example/?x=1' }, /^url has a query/],
    [{ apiKey: undefined }, /^Expected exactly one of apiKey, operatorJwt and cookie/],
    [{ operatorJwt: 'x' }, /^Expected exactly one of apiKey, operatorJwt and cookie/],
    [{ timeoutMs: 300_001 }, `${ADMINISTRATION}timeoutMs is not a whole number from 1 to 300000.`],
    [{ key: KEY }, `${ADMINISTRATION}"key" is not an option. Expected any of: ${OPTIONS}.`],
    ...[7, '', 'two\nlines', 'x'.repeat(8_193)].flatMap(
      secret =>
        [
          [{ apiKey: secret }, `${ADMINISTRATION}apiKey is not ${CREDENTIAL}, or a function that returns it.`],
          [
            { apiKey: undefined, operatorJwt: secret },
            `${ADMINISTRATION}operatorJwt is not ${CREDENTIAL}, or a function that returns it.`,
          ],
        ] as const,
    ),
    [{ cookie: false }, `${ADMINISTRATION}cookie is not true.`],
    [{ fetch: null }, `${ADMINISTRATION}fetch is not a function.`],
  ] as const) {
    assert.throws(() => connect(options as object), { name: 'TypeError', message })
  }
  const sent = server.received.length
  await assert.rejects(connect({ apiKey: () => 'two\nlines' }).showStatus(), TypeError)
  assert.equal(server.received.length, sent)
})
