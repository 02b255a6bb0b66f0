// mintmark backup and restore, run as a person runs them, beside a service under load and after what was lost.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fetchDescribed, postForm } from '../../../../testkit/services/fetch-described.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import {
  freePorts,
  KEY,
  makeFolder,
  PROGRAM,
  run,
  runAside,
  runShell,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { readRows, withFile } from '../../../../testkit/stores/store-file.ts'

type Agent = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
type Restored = { readonly replaced: string; readonly kid: string; readonly suspended: Counts }
type Counts = Readonly<Record<'agents' | 'credentials' | 'api_keys' | 'issuers', number>>

const makeWorld = async (t: TestContext) => {
  const folder = makeFolder(t)
  const provider = await startIdentityProvider()
  t.after(() => provider.close())
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables: Variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: url,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_DRAIN_SECONDS: '0',
    MINTMARK_WORKERS: '1',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const json = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], variables)
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const makeAgent = (name: string): Agent =>
    json('agent', 'create', '--name', name, '--scope', 'db:read', '--default-scope', 'db:read') as Agent
  const makeKey = (name: string): string =>
    (json('api-key', 'create', '--name', name, '--permission', 'tokens:introspect') as { api_key: string }).api_key
  const serve = () => start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  return { folder, url, variables, provider, json, makeAgent, makeKey, serve }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const issue = async ({ url }: World, { client_id, client_secret }: Agent) => {
  const response = await postForm(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret })
  const { access_token: token = '' } = (await response.json()) as { readonly access_token?: string }
  return { status: response.status, token }
}

const introspect = async ({ url }: World, apiKey: string, token: string) => {
  const response = await postForm(`${url}/oauth/introspect/v2`, { token }, { 'x-api-key': apiKey })
  return { status: response.status, body: await response.json() }
}

const revoke = async ({ url, provider }: World, token: string): Promise<number> => {
  const authorization = `Bearer ${await provider.operatorJwt({ role: 'mintmark-operator' })}`
  return (await postForm(`${url}/oauth/revoke`, { token }, { authorization })).status
}

const readKids = async ({ url }: World): Promise<readonly string[]> => {
  const { keys } = (await (await fetchDescribed(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

/** Issues and revokes until it is stopped; gives every token, the revoked ones apart. */
const startLoad = (world: World, agent: Agent) => {
  const [issued, revoked]: [string[], string[]] = [[], []]
  const stopped = new AbortController()
  const limit = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const { status, token } = await issue(world, agent)
      assert.equal(status, 200)
      issued.push(token)
      if (issued.length % 2 === 0) continue
      assert.equal(await revoke(world, token), 200)
      revoked.push(token)
    }
  }
  const queues = [limit(), limit(), limit()]
  return {
    stop: async () => {
      stopped.abort()
      await Promise.all(queues)
      return { issued, revoked }
    },
  }
}

/** A restore in the place of a store says what it would do, and does nothing of it. */
const assertAsks = ({ folder, variables }: World): void => {
  const refused = run(folder, ['restore', 'backup.db'], variables)
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /^mintmark: .*mintmark\.db is there already: .* or say --replace\.\n$/)
  const unasked = run(folder, ['restore', 'backup.db', '--replace'], variables)
  assert.equal(unasked.status, 2)
  assert.match(
    unasked.stderr,
    /the store as of 20.* Every token ends \(restored\)\. Every signing key is retired.* 3 agents, 3 credentials, 2 API keys and 0 trusted issuers are suspended .* kept under another name/,
  )
}

test('a backup beside a service under load is restored: no token, agent, secret or key lives by itself, operators go on', async t => {
  const world = await makeWorld(t)
  const { folder, variables, json } = world
  const [busy, disabled, leaked] = ['busy', 'disabled', 'leaked'].map(world.makeAgent) as [Agent, Agent, Agent]
  const [key, revokedKey] = [world.makeKey('one'), world.makeKey('two')]
  const serving = await world.serve()
  const { token } = await issue(world, busy)
  const load = startLoad(world, busy)
  const backup = await runAside(folder, ['backup', 'backup.db', '--json'], { variables })
  const { issued, revoked } = await load.stop()
  assert.equal(backup.status, 0, backup.stderr)
  const made = JSON.parse(backup.stdout) as Counts & { tokens: number; ended: number; key_encryption_key_ids: string[] }
  assert.deepEqual([made.agents, made.credentials, made.api_keys], [3, 3, 2])
  assert.ok(issued.length > 0 && revoked.length > 0 && made.tokens > 0)
  assert.match(made.key_encryption_key_ids.join(), /^[0-9a-f]{16}$/)
  // All of this is lost.
  assert.equal(await revoke(world, token), 200)
  json('agent', 'disable', disabled.agent_id, '--yes')
  const found = await runAside(folder, ['leaked-secrets'], {
    variables,
    input: `${leaked.client_secret}\n${revokedKey}\n`,
  })
  assert.equal(found.status, 0, found.stderr)
  const kidsBefore = await readKids(world)
  await serving.stop()

  assertAsks(world)
  const restored = json('restore', 'backup.db', '--replace', '--yes') as Restored
  assert.deepEqual(restored.suspended, { agents: 3, credentials: 3, api_keys: 2, issuers: 0 })
  assert.ok(existsSync(restored.replaced))

  const again = await world.serve()
  // Printed after what a start is known by.
  const status = json('restore', 'status') as Pick<Restored, 'suspended'>
  assert.deepEqual(status.suspended, restored.suspended)
  const readable = world.makeKey('new')
  for (const each of [token, ...issued]) {
    assert.deepEqual(await introspect(world, readable, each), { status: 200, body: { active: false } })
  }
  for (const agent of [busy, disabled, leaked]) assert.equal((await issue(world, agent)).status, 401)
  for (const apiKey of [key, revokedKey]) assert.equal((await introspect(world, apiKey, token)).status, 401)
  const kids = await readKids(world)
  assert.ok(kids.includes(restored.kid) && kidsBefore.every(kid => !kids.includes(kid)))
  assert.equal((await fetchDescribed(`${world.url}/readyz`)).status, 200)
  const authorization = `Bearer ${await world.provider.operatorJwt({ role: 'mintmark-admin' })}`
  const log = await fetchDescribed(`${world.url}/api/v1/audit?kind=store.restore`, { headers: { authorization } })
  const { data } = (await log.json()) as { data: { detail: Counts }[] }
  assert.deepEqual([log.status, data.length, data[0]?.detail.agents], [200, 1, 3])

  json('restore', 'accept', '--agent', busy.agent_id, '--yes')
  const fresh = await issue(world, busy)
  assert.equal(fresh.status, 200)
  assert.equal(((await introspect(world, readable, fresh.token)).body as { active: boolean }).active, true)
  for (const agent of [disabled, leaked]) assert.equal((await issue(world, agent)).status, 401)
  const { stdout } = await again.stop()
  assert.match(
    stdout,
    /^The store was restored at .*, as of .*\. 3 agents, 3 credentials, 2 API keys and 0 trusted issuers are suspended until `mintmark restore accept`\.$/m,
  )
})

const MARK = /^mintmark: [^\n]+\n$/

test('a restore under another key-encryption key is refused in one line, and nothing is there afterwards', async t => {
  const { folder, variables } = await makeWorld(t)
  assert.equal(run(folder, ['backup', 'backup.db'], variables).status, 0)
  const other = {
    ...variables,
    MINTMARK_DATA_DIR: 'other',
    MINTMARK_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  }
  const { status, stderr } = run(folder, ['restore', 'backup.db', '--yes'], other)
  assert.equal(status, 1)
  assert.match(stderr, MARK)
  assert.match(stderr, /is sealed under the key-encryption key [0-9a-f]{16}, but the one given is/)
  assert.ok(!existsSync(join(folder, 'other')))
  const { MINTMARK_KEY_ENCRYPTION_KEY: _key, ...without } = variables
  assert.match(run(folder, ['restore', 'backup.db', '--yes'], without).stderr, /MINTMARK_KEY_ENCRYPTION_KEY is not set/)
})

test('serve and migrate refuse a backup in one line that says how to restore it', async t => {
  const { folder, variables } = await makeWorld(t)
  assert.equal(run(folder, ['backup', 'backup.db'], variables).status, 0)
  for (const command of ['serve', 'migrate']) {
    const { status, stderr } = run(folder, [command], { ...variables, DATABASE_URL: 'sqlite:backup.db' })
    assert.equal(status, 1)
    assert.match(stderr, /^mintmark: .*backup\.db is a backup, not a store: run 'mintmark restore .*backup\.db'\.\n$/)
  }
})

test('a disk that takes no more of a backup or of a restore leaves what was there, and one line', async t => {
  const { folder, variables, makeAgent } = await makeWorld(t)
  // A write beyond this many kilobytes fails, as it does where the disk is full; the signal would end the process first.
  const limited = (command: string) =>
    runShell(folder, `trap '' XFSZ; ulimit -f 100; '${process.execPath}' '${PROGRAM}' ${command}`, {
      ...variables,
      NODE_COMPILE_CACHE: '',
    })
  const full = limited('backup backup.db')
  assert.equal(full.status, 1)
  assert.match(
    full.stderr,
    /^mintmark: .*backup\.db was not written \([^\n]+\); what was there before is as it was\.\n$/,
  )
  assert.deepEqual(
    readdirSync(folder).filter(name => name.startsWith('backup')),
    [],
  )
  assert.equal(run(folder, ['backup', 'backup.db'], variables).status, 0)
  makeAgent('later')
  const half = limited('restore backup.db --replace --yes')
  assert.equal(half.status, 1)
  assert.match(
    half.stderr,
    /^mintmark: .*mintmark\.db was not restored \([^\n]+\); what was there before is as it was\.\n$/,
  )
  const files = readdirSync(join(folder, '.mintmark'))
  assert.deepEqual(
    files.filter(name => /restoring|replaced/.test(name)),
    [],
  )
  assert.match(run(folder, ['agent', 'list'], variables).stdout, /later/)
})

test('records and lists say since when what they show is suspended, and what was accepted is not', async t => {
  const { json, makeAgent, makeKey, folder, variables } = await makeWorld(t)
  const agent = makeAgent('a')
  makeKey('k')
  json('issuer', 'create', ...'--alias idp --issuer https://idp.example --type id_token --scope db:read'.split(' '))
  const credentials = ['credential', 'list', agent.agent_id] as const
  type Shown = { readonly suspended_at: string | null }
  const look = () => [
    (json('agent', 'show', agent.agent_id) as Shown).suspended_at,
    ...[['agent', 'list'], credentials, ['api-key', 'list'], ['issuer', 'list']].map(
      command => (json(...command) as { readonly data: readonly Shown[] }).data[0]?.suspended_at,
    ),
  ]
  assert.deepEqual(look(), [null, null, null, null, null])
  json('restore', 'epoch', '--yes')
  const [at, ...others] = look()
  assert.match(at ?? '', /^20\d\d-.*Z$/)
  assert.deepEqual(others, [at, at, at, at])
  assert.match(run(folder, ['agent', 'list'], variables).stdout, /suspended_at\n.* - +20\d\d-\S+Z\n$/)
  json('restore', 'accept', '--yes')
  assert.deepEqual(look(), [null, null, null, null, null])
})

test('a store that was put back by other means is taken by restore epoch, and accepted by restore accept', async t => {
  const { json, makeAgent, folder, variables } = await makeWorld(t)
  makeAgent('a')
  assert.match(run(folder, ['restore', 'status'], variables).stdout, /^The store was never restored\.\n$/)
  const unasked = run(folder, ['restore', 'epoch'], variables)
  assert.equal(unasked.status, 2)
  assert.match(unasked.stderr, /Every token ends \(restored\)\..* is suspended until/)
  const { suspended } = json('restore', 'epoch', '--yes') as Pick<Restored, 'suspended'>
  assert.deepEqual(suspended, { agents: 1, credentials: 1, api_keys: 0, issuers: 0 })
  const asked = run(folder, ['restore', 'accept'], variables)
  assert.equal(asked.status, 2)
  assert.match(
    asked.stderr,
    /From now on 1 agent, 1 credential, 0 API keys and 0 trusted issuers can be used as they were/,
  )
  assert.deepEqual(json('restore', 'accept', '--yes'), { accepted: suspended })
  assert.match(run(folder, ['restore', 'status'], variables).stdout, /Nothing is suspended any more\.\n$/)
  assert.equal(run(folder, ['restore', 'accept', '--agent', 'nobody', '--yes'], variables).status, 2)
})

test('a backup is an entry of the audit log that it does not contain; if that cannot be written, it is complete all the same', async t => {
  const { folder, variables, json } = await makeWorld(t)
  const { made_at: madeAt } = json('backup', 'backup.db') as { readonly made_at: string }
  const recorded = `select detail from audit where kind = 'store.backup'`
  const [store, backup] = [join(folder, '.mintmark', 'mintmark.db'), join(folder, 'backup.db')]
  assert.deepEqual(readRows(store, recorded), [{ detail: JSON.stringify({ made_at: Date.parse(madeAt) }) }])
  assert.deepEqual(readRows(backup, recorded), [])
  withFile(store, db => {
    db.exec(`create trigger refuse before insert on audit begin select raise(abort, 'not now'); end`)
  })
  const { status, stderr } = run(folder, ['backup', 'other.db'], variables)
  assert.deepEqual([status, existsSync(join(folder, 'other.db'))], [0, true])
  assert.match(stderr, /^mintmark: the backup is complete, but the store could not record it: [^\n]+\n$/)
})
