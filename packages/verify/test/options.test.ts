// Options of a verifier, and what it is asked: a mistake is named, and never a verifier that accepts more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { createVerifier } from '../src/index.ts'
import type { Asked, RequestToAuthorize } from '../src/verifier.ts'
import { refusalOf, usePublisher, verifierOf, verifyAs } from './fixtures.ts'
import { AUDIENCE } from '../../../testkit/feed/reference-publisher.ts'

const publisher = usePublisher()

const OPTIONS: Readonly<Record<string, readonly [message: RegExp, options: object]>> = {
  'an issuer that is no URL': [/issuer is not a URL/, { issuer: 'tokens' }],
  'an issuer with a password': [/issuer holds a user name or a password/, { issuer: 'https://a:b@tokens.example' }],
  'an issuer with a slash': [/issuer ends with a slash/, { issuer: 'https://tokens.example/' }],
  'an issuer with an empty query': [/issuer ends with a slash, or has a query/, { issuer: 'https://tokens.example?' }],
  'an issuer with an empty fragment': [/issuer ends with a slash/, { issuer: 'https://tokens.example/a#' }],
  'an issuer after a space': [/issuer ends with a slash/, { issuer: ' https://tokens.example' }],
  'an issuer before a line feed': [/issuer ends with a slash/, { issuer: 'https://tokens.example\n' }],
  'an issuer over http': [/issuer is not https/, { issuer: 'http://tokens.example' }],
  'no audience': [/audience is missing/, { audience: [] }],
  'an audience that is no text': [/audience is missing/, { audience: [1] }],
  'no API key for the feed': [/apiKey is missing/, { apiKey: undefined }],
  'an API key with a line feed': [/apiKey holds a character/, { apiKey: 'a\nb' }],
  'another mode': [/mode is not one of feed, offline, introspect/, { mode: 'both' }],
  'too little staleness': [/maxStaleness is not a number of seconds from 0.2 to 3600/, { maxStaleness: 0.1 }],
  'too much staleness': [/maxStaleness is not a number of seconds from 0.2 to 3600/, { maxStaleness: 3601 }],
  'staleness that is no number': [/maxStaleness is not/, { maxStaleness: Number.NaN }],
  'keys for too long': [/maxKeyAge is not a number of seconds from 1 to 86400/, { maxKeyAge: 86_401 }],
  'no algorithm': [/algorithms is not a list/, { algorithms: [] }],
  'an algorithm with a shared secret': [/algorithms is not a list/, { algorithms: ['HS256'] }],
  'an address of metadata that is none': [/resourceMetadata is not a URL/, { resourceMetadata: '/x' }],
  'a misspelled option': [
    /^createVerifier: "audiences" is not an option. Expected any of: issuer, /,
    { audiences: [] },
  ],
  'an option of a class that is misspelled': [
    /^createVerifier: "Audience" is not an option/,
    Object.setPrototypeOf({ issuer: 'https://tokens.example' }, { Audience: AUDIENCE }),
  ],
  'holes among the algorithms': [/algorithms is not a list/, { algorithms: Array.from({ length: 1 }) }],
  'an option that is null': [/^createVerifier: hooks: the options are not an object/, { hooks: null }],
  'a misspelled hook': [
    /^createVerifier: hooks: "onFailed" is not an option/,
    { hooks: { onFailed: () => undefined } },
  ],
  'a hook that is no function': [/^createVerifier: hooks: failed is not a function/, { hooks: { failed: 'log' } }],
  'an API key that is a function': [/^createVerifier: apiKey is not a string/, { apiKey: () => 'mma_x' }],
  'a mode that is null, as JSON may have it': [/^createVerifier: mode is not/, { mode: null }],
  'algorithms that are null': [/^createVerifier: algorithms is not/, { algorithms: null }],
  'a fetch that is none': [/^createVerifier: fetch is not a function/, { fetch: 'fetch' }],
  'a memory of proofs that is none': [/^createVerifier: proofs is not a function/, { proofs: new Map() }],
  'a name that cannot be shown': [/^createVerifier: name is not 1 to 100 printable/, { name: '' }],
}

for (const [what, [message, options]] of Object.entries(OPTIONS)) {
  test(`createVerifier throws for ${what}`, () => {
    const good = { issuer: 'https://tokens.example', audience: AUDIENCE, apiKey: 'mma_x' }
    const given = Object.setPrototypeOf(
      { ...good, ...options },
      Object.getPrototypeOf(options) as object,
    ) as typeof good
    assert.throws(() => createVerifier(given), { name: 'TypeError', message })
  })
}

test('http is accepted beyond loopback only where that is asked for', () => {
  const options = { issuer: 'http://mintmark:8080', audience: AUDIENCE, mode: 'offline' } as const
  assert.throws(() => createVerifier(options), /issuer is not https/)
  createVerifier({ ...options, insecure: 'http' }).close()
})

const MISUSES: Readonly<Record<string, readonly [reason: RegExp, asked: unknown]>> = {
  'a misspelled member': [/^verify: "scope" is not an option/, { scope: ['db:read'] }],
  'scopes as a text': [/^verify: scopes is not an array of scope items/, { scopes: 'db:read' }],
  'a hole in scopes': [/^verify: scopes is not an array of scope items/, { scopes: Array.from({ length: 1 }) }],
  'more scopes than there are': [
    /^verify: scopes has more than 10000 items/,
    { scopes: Object.assign([], { length: 5e7 }) },
  ],
  'scopes that are null': [/^verify: scopes is not an array of scope items/, { scopes: null }],
  'scopes that are undefined': [/^verify: scopes is undefined/, { scopes: undefined }],
  'inherited scopes that are undefined': [/^verify: scopes is undefined/, Object.create({ scopes: undefined })],
  'a misspelled member without a prototype': [
    /^verify: "scope" is not an option/,
    Object.assign(Object.create(null) as object, { scope: ['db:read'], hasOwnProperty: undefined }),
  ],
  'a misspelled member that is not enumerable': [
    /^verify: "scope" is not an option/,
    Object.defineProperty({}, 'scope', { value: ['db:read'] }),
  ],
  'scopes alone': [/^verify: the options are not an object/, ['db:read']],
  'a text': [/^verify: the options are not an object/, 'db:read'],
  null: [/^verify: the options are not an object/, null],
  undefined: [/^verify: the options are not an object/, undefined],
  'a proof alone': [/^verify: dpop is not an object of method, url and proof/, { dpop: 'proof' }],
  'a proof that is undefined': [/^verify: dpop is undefined\. Expected an object of method/, { dpop: undefined }],
  'a proof without the address of the request': [
    /^verify: dpop: url is undefined/,
    { dpop: { method: 'GET', proof: 'x' } },
  ],
  'a proof without the method of the request': [
    /^verify: dpop: method is undefined/,
    { dpop: { url: 'https://api.example/', proof: 'x' } },
  ],
  'a certificate that is none': [/^verify: certificate is not DER/, { certificate: {} }],
  'a misspelled member without a value': [/^verify: "scope" is not an option/, { scope: undefined }],
  'a misspelled member of a class': [/^verify: "scope" is not an option/, Object.create({ scope: ['db:read'] })],
  'a misspelled member of the proof': [
    /^verify: dpop: "htu" is not an option/,
    { dpop: { method: 'GET', url: 'https://api.example/', proof: 'x', htu: '' } },
  ],
  'a member that throws': [
    /^verify: the options cannot be read\.$/,
    {
      get scopes(): never {
        throw new Error('secret')
      },
    },
  ],
  'an object that throws': [
    /^verify: the options cannot be read\.$/,
    new Proxy({}, { ownKeys: () => assert.fail('secret') }),
  ],
}

for (const [what, [reason, asked]] of Object.entries(MISUSES)) {
  test(`verify refuses with 500, and says why, where it is asked with ${what}`, async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const result = await verifier.verify(publisher.mint().token, asked as Asked)
    assert.ok(!result.ok)
    assert.deepEqual([result.refusal, result.status, result.challenge], ['misuse', 500, undefined])
    assert.match(result.reason, reason)
    assert.match(verifier.status().lastFailure?.problem ?? '', reason)
  })
}

test('what is asked is read once: what a program does with its own objects meanwhile changes nothing', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'introspect' })
  const { token } = publisher.mint()
  const scopes = ['db:read', 'db:admin']
  const decided = verifier.verify(token, { scopes })
  scopes.length = 0
  assert.equal(refusalOf(await decided), 'insufficient_scope')
  let reads = 0
  const fickle = {
    get scopes(): readonly string[] {
      reads += 1
      return reads === 1 ? ['db:admin'] : []
    },
  }
  assert.equal(await verifyAs(verifier, token, fickle), 'insufficient_scope')
  const unlisted = Object.defineProperty<Asked>({}, 'scopes', { value: ['db:admin'] })
  assert.equal(await verifyAs(verifier, token, unlisted), 'insufficient_scope')
  const hiding = Object.assign(['db:admin'], { slice: () => [], [Symbol.iterator]: () => [].values() })
  assert.equal(await verifyAs(verifier, token, { scopes: hiding }), 'insufficient_scope')
  class Needs {
    get scopes(): readonly string[] {
      return ['db:admin']
    }
  }
  assert.equal(await verifyAs(verifier, token, new Needs()), 'insufficient_scope')
})

test('what is asked is read once also where a member is wrong, and a proxy that lists none is read', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const { token } = publisher.mint()
  let reads = 0
  const fickle = {
    get scopes(): readonly string[] {
      reads += 1
      return reads === 1 ? ['db:admin'] : []
    },
  }
  Object.defineProperty(fickle, 'certificate', { value: 'x' })
  assert.equal(await verifyAs(verifier, token, fickle), 'insufficient_scope')
  const unlisted = new Proxy<Asked>({}, { get: (_, name) => (name === 'scopes' ? ['db:admin'] : undefined) })
  assert.equal(await verifyAs(verifier, token, unlisted), 'insufficient_scope')
})

test('an argument too many is named: its demands would be none', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const { token } = publisher.mint()
  const request = { authorization: `Bearer ${token}`, proof: undefined, method: 'GET', url: '/' }
  const more = { scopes: ['db:admin'] }
  const verify = verifier.verify as (...given: readonly unknown[]) => ReturnType<typeof verifier.verify>
  const authorize = verifier.authorize as typeof verify
  assert.equal(refusalOf(await verify(token, {}, more)), 'misuse')
  assert.equal(refusalOf(await authorize(request, more)), 'misuse')
  const create = createVerifier as (...given: readonly unknown[]) => unknown
  assert.throws(() => create({ issuer: 'https://tokens.example', audience: AUDIENCE, mode: 'offline' }, {}), /too many/)
})

test('a hook runs once verify has returned, and may call it', async t => {
  const said: string[] = []
  const verifier = verifierOf(t, publisher, { mode: 'offline', hooks: { verified: () => void said.push('hook') } })
  const { token } = publisher.mint()
  await verifier.verify(token)
  const decided = verifier.verify(token)
  said.push('returned')
  await decided
  assert.deepEqual(said, ['hook', 'returned', 'hook'])
})

test('a program with a Promise of its own is answered as any other', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const { Promise: builtIn } = globalThis
  t.after(() => void (globalThis.Promise = builtIn))
  globalThis.Promise = class<T> extends builtIn<T> {}
  assert.equal(refusalOf(await verifier.verify('garbage')), 'malformed')
  assert.equal(refusalOf(await verifier.verify(publisher.mint().token)), 'accepted')
})

test('a hook cannot make a token of a refusal', async t => {
  const accept = (refused: object): object => Object.assign(refused, { ok: true })
  const verifier = verifierOf(t, publisher, { mode: 'offline', hooks: { refused: accept } })
  assert.equal(await verifyAs(verifier, 'x'), 'malformed')
  await until('the hook has failed', async () => verifier.status().failures === 1)
})

test('authorize refuses with 500 what is no request', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const request = { authorization: `Bearer ${publisher.mint().token}`, proof: undefined, method: 'GET', url: '/' }
  for (const wrong of [
    null,
    undefined,
    { ...request, scope: ['db:read'] },
    { ...request, scopes: undefined },
    { ...request, authorization: [''] },
    { ...request, url: undefined },
    { ...request, method: undefined },
  ]) {
    assert.equal(refusalOf(await verifier.authorize(wrong as RequestToAuthorize)), 'misuse')
  }
  const { url: _, ...withoutUrl } = request
  for (const scheme of ['Bearer', 'DPoP']) {
    const given = { ...withoutUrl, authorization: `${scheme} ${publisher.mint().token}`, proof: 'x' }
    const result = await verifier.authorize(given as unknown as RequestToAuthorize)
    assert.ok(!result.ok)
    assert.deepEqual([result.status, result.reason], [500, 'authorize: url is undefined. Expected a string.'])
  }
  assert.equal(refusalOf(await verifier.authorize(request)), 'accepted')
})

test('ready rejects a time for which it would not wait', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'feed' })
  for (const wrong of [Infinity, Number.NaN, -1, 2 ** 31, '5', null]) {
    const message = 'ready: timeoutMs is not a number of ms from 0 to 2147483647.'
    await assert.rejects(verifier.ready(wrong as number), { name: 'TypeError', message })
  }
  assert.equal((await verifier.ready(2 ** 31 - 1)).isFresh, true)
})
