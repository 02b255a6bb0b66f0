// A service moves up, as its operator does it: what was issued and revoked before is so after, under the same address.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  freePorts,
  KEY,
  makeFolder,
  run,
  runAside,
  type Running,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { postForm } from '../../../../testkit/services/fetch-described.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'

type Agent = { readonly client_id: string; readonly client_secret: string }

const FROM = ['migrate-store', '--from', 'sqlite:.mintmark/mintmark.db']

const makeWorld = async (t: TestContext) => {
  const [folder, provider, database] = [makeFolder(t), await startIdentityProvider(), await makeTestDatabase()]
  t.after(() => Promise.all([provider.close(), database.drop()]))
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables: Variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    MINTMARK_BASE_URL: url,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_DRAIN_SECONDS: '0',
    MINTMARK_WORKERS: '1',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  const json = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], variables)
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  json('migrate')
  const scopes = ['--scope', 'db:read', '--default-scope', 'db:read']
  const agent = json('agent', 'create', '--name', 'a', ...scopes) as Agent
  const key = json('api-key', 'create', '--name', 'k', '--permission', 'tokens:introspect') as {
    readonly api_key: string
  }
  const serve = (more: Variables = {}): Promise<Running> =>
    start(t, folder, { args: ['serve'], variables: { ...variables, ...more }, ready: /another audience\.\n/ })
  const move = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runAside(folder, [...FROM, '--to', database.url, ...args], { variables })
    return status === 0 ? stdout : stderr
  }
  return { folder, url, variables, provider, database, agent, apiKey: key.api_key, serve, move }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const issue = async ({ url, agent: { client_id, client_secret } }: World): Promise<string> => {
  const response = await postForm(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret })
  assert.equal(response.status, 200)
  return ((await response.json()) as { readonly access_token: string }).access_token
}

const revoke = async ({ url, provider }: World, token: string): Promise<void> => {
  const authorization = `Bearer ${await provider.operatorJwt({ role: 'mintmark-operator' })}`
  assert.equal((await postForm(`${url}/oauth/revoke`, { token }, { authorization })).status, 200)
}

const areActive = ({ url, apiKey }: World, tokens: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(
    tokens.map(async token => {
      const response = await postForm(`${url}/oauth/introspect/v2`, { token }, { 'x-api-key': apiKey })
      return ((await response.json()) as { readonly active: unknown }).active
    }),
  )

/** It names the key. */
const headerOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.', 1).join(), 'base64url').toString('utf8'))

test('tokens from before a move are active after it, those that were revoked are not, and the same keys sign', async t => {
  const world = await makeWorld(t)
  const { folder, variables, database, serve, move } = world
  const before = await serve()
  const tokens = [await issue(world), await issue(world), await issue(world)]
  await revoke(world, tokens[0] ?? '')
  assert.match(await move(), /Stop the service, and run this again with --finish/)
  tokens.push(await issue(world))
  await revoke(world, tokens[1] ?? '')
  assert.match(await move('--finish', '--yes'), /mintmark\.db is in use by a mintmark that runs: stop that one first/)
  await before.stop()
  assert.match(await move('--finish', '--yes'), /^The database test_\w+ is the store: /)
  await serve({ DATABASE_URL: database.url })
  assert.deepEqual(await areActive(world, tokens), [false, false, true, true])
  const fresh = await issue(world)
  assert.deepEqual(headerOf(fresh), headerOf(tokens[0] ?? ''))
  await revoke(world, tokens[2] ?? '')
  assert.deepEqual(await areActive(world, [fresh, ...tokens]), [true, false, false, false, true])
  const verified = run(folder, ['audit', 'verify'], { ...variables, DATABASE_URL: database.url })
  assert.deepEqual([verified.status, verified.stderr], [0, ''])
})
