// Guards and metadata as programs may write them: a mistake is an error where the route is written, and never an open route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as forExpress from '../../src/adapters/express.ts'
import * as forFastify from '../../src/adapters/fastify.ts'
import * as forFetch from '../../src/adapters/fetch.ts'
import * as forHono from '../../src/adapters/hono.ts'
import { mcpTokenVerifier, requireMcpToken } from '../../src/adapters/mcp.ts'
import { verifyNodeRequest } from '../../src/adapters/node-request.ts'
import { usePublisher, verifierOf } from '../fixtures.ts'

const publisher = usePublisher()

/** As a program without types would have them. */
type Loose = (...given: readonly unknown[]) => unknown

const GUARDED: Readonly<Record<string, Loose>> = {
  requireToken: forExpress.requireToken as Loose,
  'requireToken of Fastify': forFastify.requireToken as Loose,
  'requireToken of Hono': forHono.requireToken as Loose,
  requireMcpToken: requireMcpToken as Loose,
  protect: (verifier, ...guards) => (forFetch.protect as Loose)(verifier, () => new Response(), ...guards),
}

const WRONG_GUARDS: readonly (readonly [guard: unknown, named: RegExp])[] = [
  [null, /not an object/],
  [undefined, /not an object/],
  [['db:read'], /not an object/],
  ['db:read', /not an object/],
  [{ scope: ['db:read'] }, /"scope" is not an option\. Expected any of: scopes, certificate, prefix/],
  [{ scopes: null }, /scopes is not an array of scope items, such as \['db:read'\], or a function/],
  [{ scopes: undefined }, /scopes is undefined/],
  [{ scopes: 'a b' }, /scopes is not/],
  [{ scopes: ['a b'] }, /scopes is not/],
  [{ scopes: [''] }, /scopes is not/],
  [{ scopes: Array.from({ length: 1 }) }, /scopes is not/],
  [{ certificate: 'PEM' }, /certificate is not a function/],
  [{ scope: undefined }, /"scope" is not an option/],
  [Object.create({ scope: ['db:read'] }), /"scope" is not an option/],
  [Object.create({ scopes: undefined }), /scopes is undefined/],
  [new Proxy({}, { get: () => assert.fail('at once') }), /the options cannot be read/],
  ...['api', '/api/', '/', '', '/a?b', '/a/../b', '/.', 'https://a.example/b'].map(
    prefix => [{ prefix }, /prefix is not a path such as \/api/] as const,
  ),
]

test('a guard that is not as it should be is a TypeError where the route is written, and names what is wrong', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  for (const [name, require] of Object.entries(GUARDED)) {
    for (const [guard, named] of WRONG_GUARDS) {
      assert.throws(() => require(verifier, guard), { name: 'TypeError', message: named }, `${name} ${String(named)}`)
    }
    assert.throws(() => require({ scopes: [] }, verifier), /first argument is not a verifier/, name)
    assert.throws(() => require(), /first argument is not a verifier/, name)
    assert.throws(() => require(verifier, {}, { scopes: ['db:admin'] }), /an argument too many/, name)
    require(verifier, { scopes: ['db:read'], certificate: () => undefined, prefix: '/api/v1' })
    require(verifier, { scopes: [] })
  }
  const request = new Request('https://api.example/v1/read')
  await assert.rejects((forFetch.verifyRequest as Loose)(verifier, request, []) as Promise<unknown>, /not an object/)
  assert.throws(() => (mcpTokenVerifier as Loose)(verifier, { InvalidTokenError: Error }), /ServerError is not a class/)
  const classes = { InvalidTokenError: Error, ServerError: Error }
  for (const given of [
    [classes, { scopes: ['db:admin'] }],
    [{ ...classes, requiredScopes: ['db:admin'] }],
    [{ ...classes, scope: ['db:admin'] }],
  ]) {
    assert.throws(() => (mcpTokenVerifier as Loose)(verifier, ...given), /it takes no guard/)
  }
  assert.throws(() => (mcpTokenVerifier as Loose)(verifier), /the errors are not an object/)
  for (const { protectedResource } of [forExpress, forFastify, forHono]) {
    const publish = protectedResource as Loose
    assert.throws(() => publish(verifier, { scopes: ['db:admin'] }), /"scopes" is of the guard of a route/)
    assert.throws(() => publish(verifier, {}, { scopes: ['db:admin'] }), /an argument too many/)
  }
  assert.throws(() => (forFetch.protect as Loose)(verifier, { scopes: [] }), /second argument is not a function/)
})

class AdminOnly {
  get scopes(): readonly string[] {
    return ['db:admin']
  }
}

test('a guard demands what it says, in whatever form it was written and whatever becomes of it', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const { token } = publisher.mint()
  const ofAdmins = { scopes: ['db:admin'] }
  const guards = [
    new AdminOnly(),
    Object.create(ofAdmins) as object,
    Object.defineProperty<object>({}, 'scopes', { value: ['db:admin'] }),
  ]
  const handlers = guards.map(guard => forFetch.protect(verifier, () => new Response(), guard))
  ofAdmins.scopes.length = 0
  ofAdmins.scopes = []
  for (const handler of handlers) {
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await handler(new Request('https://api.example/v1/read', { headers }))).status, 403)
  }
})

test('where a function of a guard does not settle the request does not pass, and is answered', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const hangs = (): Promise<never> => new Promise(() => undefined)
  // As stubs of remote procedures are: each of their members is a stub.
  const stub: () => never = new Proxy(hangs, { get: () => () => undefined }) as never
  for (const guard of [
    { scopes: hangs },
    { certificate: hangs },
    { scopes: () => stub as never },
    { certificate: () => new Proxy({}, { get: () => () => undefined }) as never },
  ]) {
    const verified = verifyNodeRequest(verifier, { headers: {} }, guard)
    setImmediate(() => t.mock.timers.tick(5000))
    await assert.rejects(verified, /No answer came within 5000 ms/)
  }
})

test('the list that a function of a guard returns is demanded as it was then', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const headers = { authorization: `Bearer ${publisher.mint().token}` }
  const scopes = (): string[] => {
    const list = ['db:admin']
    queueMicrotask(() => void list.pop())
    return list
  }
  const later = async (): Promise<string[]> => {
    const list = ['db:admin']
    void (async () => {
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve()
      list.pop()
    })()
    return list
  }
  for (const given of [scopes, later]) {
    const request = new Request('https://api.example/v1/read', { headers })
    assert.equal((await forFetch.protect(verifier, () => new Response(), { scopes: given })(request)).status, 403)
  }
})

test('metadata that is not as it should be is a TypeError where it is written', t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  for (const describe of [forExpress, forFastify, forHono].map(one => one.protectedResource as Loose)) {
    const wrong = [null, [], 'Orders', { scopes_supported: 'db:read' }, { resource_name: 7 }, { resource_version: 1n }]
    for (const members of wrong) {
      assert.throws(() => describe(verifier, members), { name: 'TypeError', message: /^protectedResource: metadata: / })
    }
    for (const other of [{ resource_name: 'Orders' }, { authorize: () => undefined }]) {
      assert.throws(() => describe(other, verifier), /first argument is not a verifier/)
    }
    // RFC 9728 §2 allows members that this version does not know.
    describe(verifier, { resource_policy_uri: 'https://api.example/policy' })
  }
})

test('where the function certificate returns none in its forms the request does not pass', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const verify = (certificate: () => unknown) =>
    verifyNodeRequest(
      verifier,
      { headers: { authorization: `Bearer ${publisher.mint().token}` } },
      { certificate: certificate as () => undefined },
    )
  for (const given of [null, 7, {}, Promise.resolve(null), []]) {
    await assert.rejects(
      verify(() => given),
      TypeError,
    )
  }
  for (const given of [undefined, '', new Uint8Array(1), Promise.resolve(undefined)]) {
    assert.equal((await verify(() => given)).ok, true)
  }
})
