// GET /readyz?verbose: the state of the store, of each identity provider, and of each trusted issuer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { assertPlainHeaders, get } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

/** What `/readyz?verbose` says of the provider, which it is asked for anew. */
const componentsOf = async (service: TestServer, query = 'verbose') => {
  const answer = await get(service, `/readyz?${query}`)
  assertPlainHeaders(answer)
  return { status: answer.status, json: answer.json as object, retryAfter: answer.headers['retry-after'] }
}

const STORE = { name: 'store', status: 'ok' }

test('readyz?verbose: a component for the store and for each identity provider', async () => {
  const service = await startServer()
  try {
    const provider = { name: 'identity_provider', issuer: service.provider.issuer, status: 'ok' }
    for (const query of ['verbose', 'verbose=', 'verbose=1', 'verbose&verbose']) {
      const { status, json } = await componentsOf(service, query)
      assert.deepEqual([status, json], [200, { status: 'ok', components: [STORE, provider] }], query)
    }
    assert.deepEqual(service.provider.fetches, { metadata: 1, jwks: 1 })
  } finally {
    await service.close()
  }
})

test('readyz?verbose: a provider whose keys cannot be read is named with the cause, and takes nothing out of service', async () => {
  const service = await startServer()
  try {
    const { issuer } = service.provider
    const reported = async () => {
      const { status, json } = await componentsOf(service)
      assert.equal(status, 200)
      const { status: whole, components } = json as { status: string; components: readonly object[] }
      assert.deepEqual([whole, components[0], components.length], ['ok', STORE, 2])
      return components[1]
    }
    const unread = (status: string, cause: string) => ({
      name: 'identity_provider',
      issuer,
      status,
      reason: `Its keys cannot be read: ${cause}.`,
    })
    service.provider.fail('other_issuer')
    assert.deepEqual(await reported(), unread('unavailable', 'its metadata names another issuer'))
    assert.deepEqual((await get(service, '/readyz')).json, { status: 'ok' })

    // It is tried again after a second. Keys that were read are good for ten minutes, and no reading is spent on them.
    service.provider.recover()
    service.clock.advance(1000)
    assert.deepEqual(await reported(), { name: 'identity_provider', issuer, status: 'ok' })
    service.provider.fail('error')
    assert.deepEqual(await reported(), { name: 'identity_provider', issuer, status: 'ok' })
    service.clock.advance(600_000 - 1)
    assert.deepEqual(await reported(), { name: 'identity_provider', issuer, status: 'ok' })
    service.clock.advance(1)
    assert.deepEqual(await reported(), unread('stale', 'it answered 500'))

    // The keys that were read at 1 s are believed for 30 minutes.
    service.clock.advance(30 * 60_000 - 600_000 - 1)
    assert.deepEqual(await reported(), unread('stale', 'it answered 500'))
    service.clock.advance(1)
    assert.deepEqual(await reported(), unread('unavailable', 'it answered 500'))

    service.provider.recover()
    service.clock.advance(31_000)
    assert.deepEqual(await reported(), { name: 'identity_provider', issuer, status: 'ok' })
    service.provider.publicJwks.splice(0)
    service.clock.advance(600_000)
    assert.deepEqual(
      await reported(),
      unread('unavailable', 'its key set holds no usable key for RS256, PS256, ES256, ES384, Ed25519'),
    )
  } finally {
    await service.close()
  }
})

test('readyz?verbose: 503 where the store cannot serve, with the state of all components', async () => {
  const check = (): Promise<string> => Promise.resolve('The disk is full.')
  const service = await startServer({ break: ports => ({ ...ports, health: { ...ports.health, check } }) })
  try {
    const { status, json, retryAfter } = await componentsOf(service)
    const provider = { name: 'identity_provider', issuer: service.provider.issuer, status: 'ok' }
    const reason = 'The disk is full.'
    const components = [{ name: 'store', status: 'unavailable', reason }, provider]
    assert.deepEqual([status, retryAfter, json], [503, '1', { status: 'unavailable', reason, components }])
  } finally {
    await service.close()
  }
})

test('readyz answers while a provider hangs, and asking verbosely at any rate reads its keys once', async () => {
  const service = await startServer({ timing: { keyReadingMs: 500 } })
  try {
    service.provider.fail('hang')
    const verbose = Array.from({ length: 50 }, () => componentsOf(service))
    assert.deepEqual((await get(service, '/readyz')).json, { status: 'ok' })
    for (const { status, json } of await Promise.all(verbose)) {
      assert.equal(status, 200)
      assert.match(JSON.stringify(json), /Its keys cannot be read: it did not answer in time\./)
    }
    assert.deepEqual(service.provider.fetches, { metadata: 1, jwks: 0 })
  } finally {
    await service.close()
  }
})

test('readyz?verbose: one component for the trusted issuers that are not disabled, without their names and what is wrong', async () => {
  const service = await startServer()
  try {
    const headers = await admin(service)
    const { issuer } = service.provider
    const create = async (alias: string, more: object) => {
      const body = { alias, issuer, token_types: ['id_token'], scope: 'db:read', ...more }
      const { status, text } = await call(service, { method: 'POST', path: '/api/v1/issuers', body }, headers)
      assert.equal(status, 201, text)
    }
    await create('tenant-b', { require: { tid: 'b' } })
    await create('tenant-a', { require: { tid: 'a' }, jwks_uri: `${issuer}/nowhere` })
    await create('tenant-c', { require: { tid: 'c' }, algorithms: ['ES384'] })
    await create('tenant-d', { require: { tid: 'd' } })
    await call(service, { method: 'POST', path: '/api/v1/issuers/tenant-d/disable' }, headers)
    const provider = { name: 'identity_provider', issuer, status: 'ok' }
    const issuers = { name: 'trusted_issuers', status: 'unavailable' }
    const reason = 'The keys of 2 of 3 cannot be read: `mintmark doctor` says which.'
    assert.deepEqual((await componentsOf(service)).json, {
      status: 'ok',
      components: [STORE, provider, { ...issuers, reason }],
    })
    for (const alias of ['tenant-a', 'tenant-c'])
      await call(service, { method: 'POST', path: `/api/v1/issuers/${alias}/disable` }, headers)
    const { json } = await componentsOf(service)
    assert.deepEqual(json, { status: 'ok', components: [STORE, provider, { ...issuers, status: 'ok' }] })
    const { text } = await get(service, '/readyz')
    assert.equal(text, '{"status":"ok"}')
  } finally {
    await service.close()
  }
})
