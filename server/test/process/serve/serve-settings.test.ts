// Every setting of serve off its default, in one run: each is seen in what the service answers, logs or removes.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeSigningKey } from '../../../src/keys/tokens/signing-keys.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeManualClock } from '../../../../testkit/stores/manual-clock.ts'
import { migrateSqliteStore, openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { fetchDescribed } from '../../../../testkit/services/fetch-described.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { act, createAgent, issue } from '../../../../testkit/stores/store.ts'
import { freePorts, KEY, makeFolder, run, start, type Variables } from '../../../../testkit/commands/run-mintmark.ts'

type Credentials = { readonly client_id: string; readonly client_secret: string }

const DAY_MS = 86_400_000
const RETAIN_EXPIRED_DAYS = 2
const RETAIN_ENDED_DAYS = 5
const BODY_BYTES_MAX = 2048

/** A store in which tokens ended and expired, each kind before and after the end of its time here; those to be kept. */
const makeOldStore = async (folder: string): Promise<readonly string[]> => {
  mkdirSync(join(folder, '.mintmark'), { mode: 0o700 })
  const file = join(folder, '.mintmark/mintmark.db')
  const today = Date.now()
  const clock = makeManualClock(today - 6 * DAY_MS)
  await migrateSqliteStore({ file, timing: TIMING, madeBy: 'migrate', now: clock.wall() })
  const store = await openSqliteStore({ file, timing: TIMING, retention: null, clock })
  await store.signingKeys.createFirst(makeSigningKey(Buffer.from(KEY, 'base64')), act('signing_key.create'))
  const agent = await createAgent(store)
  const issued: string[] = []
  for (const daysAgo of [6, 3, 1]) {
    clock.advance(today - daysAgo * DAY_MS - clock.wall())
    const [expiring, ending] = await issue(store, agent, { lifetimeSeconds: 60 }, { lifetimeSeconds: 60 })
    assert.ok(expiring && ending)
    await store.ledger.end(ending, 'manual_revocation', act('token.revoke'))
    if (daysAgo < RETAIN_EXPIRED_DAYS) issued.push(expiring.id)
    if (daysAgo < RETAIN_ENDED_DAYS) issued.push(ending.id)
  }
  await store.close()
  return issued.toSorted()
}

const startProviders = async (t: TestContext) => {
  const first = await startIdentityProvider()
  const second = await startIdentityProvider({ audience: 'another' })
  t.after(() => Promise.all([first.close(), second.close()]))
  return { first, second }
}

const startOffDefaults = async (t: TestContext) => {
  const folder = makeFolder(t)
  const kept = await makeOldStore(folder)
  const { first, second } = await startProviders(t)
  const [port] = await freePorts()
  const origin = `http://127.0.0.1:${port}`
  const roles = { reader: 'viewer' }
  const other = { issuer: second.issuer, audience: second.audience, role_claim: 'realm.groups', roles }
  const file = { identity_providers: [other], scopes_supported: ['db:read', 'db:write'] }
  writeFileSync(join(folder, 'mintmark.json'), JSON.stringify(file))
  const variables: Variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: `${origin}/mint`,
    MINTMARK_IDP_ISSUER: first.issuer,
    MINTMARK_IDP_AUDIENCE: first.audience,
    MINTMARK_IDP_JWKS_URI: first.jwksUri,
    MINTMARK_IDP_ROLE_CLAIM: 'groups',
    MINTMARK_IDP_ROLE_SEPARATOR: 'comma',
    MINTMARK_CONFIG_FILE: 'mintmark.json',
    MINTMARK_BODY_BYTES_MAX: String(BODY_BYTES_MAX),
    MINTMARK_DEFAULT_AUDIENCE: 'https://api.example.com',
    MINTMARK_TOKEN_LIFETIME_SECONDS: '77',
    MINTMARK_RETAIN_EXPIRED_DAYS: String(RETAIN_EXPIRED_DAYS),
    MINTMARK_RETAIN_ENDED_DAYS: String(RETAIN_ENDED_DAYS),
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    LOG_LEVEL: 'debug',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  const running = await start(t, folder, { args: ['serve'], variables, ready: /workers: 1\.\n/ })
  const made = run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read', '--json'])
  return { folder, origin, kept, first, second, running, agent: JSON.parse(made.stdout) as Credentials }
}

type Serving = Awaited<ReturnType<typeof startOffDefaults>>

const post = async (address: string, body: URLSearchParams | string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await fetchDescribed(address, { method: 'POST', headers, body: body.toString() }, '/mint')
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const getAs = async (address: string, jwt: string) => {
  const response = await fetchDescribed(address, { headers: { authorization: `Bearer ${jwt}` } }, '/mint')
  return { status: response.status, body: (await response.json()) as { readonly data: readonly { id: string }[] } }
}

const assertTokenSettings = async ({ origin, agent }: Serving): Promise<void> => {
  const fields = { grant_type: 'client_credentials', ...agent, scope: 'db:read' }
  const { body } = await post(`${origin}/mint/oauth/token`, new URLSearchParams(fields))
  assert.equal(body['expires_in'], 77)
  const [, payload = ''] = String(body['access_token']).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  assert.equal(claims['aud'], 'https://api.example.com')
  assert.equal(claims['iss'], `${origin}/mint`)
  assert.equal(Number(claims['exp']) - Number(claims['iat']), 77)
}

const assertMetadata = async ({ origin }: Serving): Promise<void> => {
  const response = await fetch(`${origin}/.well-known/oauth-authorization-server/mint`)
  const metadata = (await response.json()) as Record<string, unknown>
  assert.equal(metadata['token_endpoint'], `${origin}/mint/oauth/token`)
  assert.deepEqual(metadata['scopes_supported'], ['db:read', 'db:write'])
}

const assertBodyLimit = async ({ origin }: Serving): Promise<void> => {
  const statusOf = async (bytes: number) => (await post(`${origin}/mint/oauth/token`, 'x'.repeat(bytes))).status
  assert.deepEqual([await statusOf(BODY_BYTES_MAX), await statusOf(BODY_BYTES_MAX + 1)], [400, 413])
}

const assertProviders = async ({ origin, first, second }: Serving): Promise<void> => {
  const statusFor = async (jwt: Promise<string>) => (await getAs(`${origin}/mint/api/v1/tokens`, await jwt)).status
  assert.equal(await statusFor(first.operatorJwt({ roles: [], groups: ['mintmark-viewer'] })), 200)
  assert.equal(await statusFor(first.operatorJwt()), 403)
  assert.equal(await statusFor(first.operatorJwt({ groups: 'staff, mintmark-viewer' })), 200)
  assert.equal(first.fetches.metadata, 0, 'the address of the keys was given')
  assert.equal(await statusFor(second.operatorJwt({ realm: { groups: ['reader'] } })), 200)
  assert.equal(await statusFor(second.operatorJwt({ groups: ['mintmark-viewer'] })), 403)
  assert.equal(await statusFor(second.operatorJwt({ realm: { groups: 'staff reader' } })), 403)
}

/** The maintenance works beside the requests: history is asked for until what has been kept long enough is gone. */
const assertRetention = async ({ origin, first, kept }: Serving): Promise<void> => {
  const jwt = await first.operatorJwt({ groups: ['mintmark-viewer'] })
  const listed = async () => {
    const { body } = await getAs(`${origin}/mint/api/v1/tokens/history`, jwt)
    return body.data.map(({ id }) => id).toSorted()
  }
  let ids = await listed()
  while (ids.length > kept.length) ids = await listed()
  assert.deepEqual(ids, kept)
}

test('every setting of serve has its effect', { timeout: 300_000 }, async t => {
  const serving = await startOffDefaults(t)
  await assertTokenSettings(serving)
  await assertMetadata(serving)
  await assertBodyLimit(serving)
  await assertProviders(serving)
  await assertRetention(serving)
  const { stdout, stderr } = await serving.running.stop()
  assert.doesNotMatch(stdout, /sets another audience/)
  assert.match(stderr, /"level":20,.*"msg":"refused"/, 'what is logged at debug, and not by default')
})
