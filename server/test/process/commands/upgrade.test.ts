// docs/run/upgrade.md: a store that an earlier program made, with its agents, key, tokens and history, is brought to this version and
// served.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { PROGRAM_VERSION } from '../../../src/store/sqlite/schema/migrations.ts'
import {
  freePorts,
  makeFolder,
  run,
  serveVariables,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { fetchDescribed, postForm } from '../../../../testkit/services/fetch-described.ts'

type Agent = { readonly client_id: string; readonly client_secret: string; readonly access_token: string }
type Earlier = {
  readonly base_url: string
  readonly agent: Agent
  readonly disabled_agent: Agent
  readonly api_key: string
}
type Ended = { readonly agent_id: string; readonly termination_reason: string }

const STORES = join(import.meta.dirname, '../../../../testkit/stores')

const placeStore = (folder: string, version: number): void => {
  mkdirSync(join(folder, '.mintmark'), { mode: 0o700 })
  const store = gunzipSync(readFileSync(join(STORES, `schema-${version}.db.gz`)))
  writeFileSync(join(folder, '.mintmark/mintmark.db'), store, { mode: 0o600 })
}

/** The schema of the first program, and that of a program of November 2026 before the revocation feed. */
const VERSIONS = [1, 5]

const upgrade = async (t: TestContext, version: number): Promise<void> => {
  const earlier = JSON.parse(readFileSync(join(STORES, `schema-${version}.json`), 'utf8')) as Earlier
  const folder = makeFolder(t)
  placeStore(folder, version)
  const [port] = await freePorts()
  const variables: Variables = {
    ...serveVariables(port),
    // The issuer stays what it was, or its tokens would be of another service.
    MINTMARK_BASE_URL: earlier.base_url,
    MINTMARK_RETAIN_EXPIRED_DAYS: '36500',
    MINTMARK_RETAIN_ENDED_DAYS: '36500',
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
  }
  const refused = run(folder, ['serve'], variables)
  assert.equal(refused.status, 1, refused.stderr)
  assert.match(refused.stderr, /^mintmark: .*mintmark migrate/)
  assert.deepEqual(JSON.parse(run(folder, ['migrate', '--json'], variables).stdout), {
    from: version,
    to: PROGRAM_VERSION,
  })

  await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  const url = `http://127.0.0.1:${port}`
  const headers = { 'x-api-key': earlier.api_key }
  const issue = async ({ client_id, client_secret }: Agent) =>
    postForm(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret, scope: 'db:read' })
  const introspect = async (token: string) => (await postForm(`${url}/oauth/introspect/v2`, { token }, headers)).json()

  const { access_token: token } = (await (await issue(earlier.agent)).json()) as Agent
  const { active, client_id: clientId } = (await introspect(token)) as { active: boolean; client_id: string }
  assert.deepEqual([active, clientId], [true, earlier.agent.client_id])
  assert.equal((await issue(earlier.disabled_agent)).status, 401)
  for (const { access_token: old } of [earlier.agent, earlier.disabled_agent])
    assert.deepEqual(await introspect(old), { active: false })
  const history = (await (await fetchDescribed(`${url}/api/v1/tokens/history`, { headers })).json()) as {
    data: Ended[]
  }
  assert.deepEqual(
    new Map(history.data.map(one => [one.agent_id, one.termination_reason])),
    new Map([
      [earlier.agent.client_id, 'expired'],
      [earlier.disabled_agent.client_id, 'agent_disabled'],
    ]),
  )
  assert.equal(run(folder, ['audit', 'verify'], variables).status, 0)
}

for (const version of VERSIONS) {
  test(`a store of schema ${version} is refused, then migrated, and serves what it held`, t => upgrade(t, version))
}
