// Several serving threads over one store: one truth, a port that is ours alone, and an end in good order.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import {
  freePorts,
  KEY,
  makeFolder,
  run,
  runAlone,
  type Scope,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const WORKERS = 3

type World = {
  readonly folder: string
  readonly port: number
  readonly variables: Variables
  readonly jwt: string
  readonly client: { readonly client_id: string; readonly client_secret: string }
  readonly key: string
}

const makeWorld = async (t: Scope): Promise<World> => {
  const folder = makeFolder(t)
  const provider = await startIdentityProvider()
  t.after(() => provider.close())
  const [port] = await freePorts()
  const variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKERS: String(WORKERS),
    MINTMARK_DRAIN_SECONDS: '300',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  run(folder, ['migrate'], variables)
  const created = run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read', '--json'])
  const { client_id, client_secret } = JSON.parse(created.stdout) as World['client']
  const permitted = run(folder, ['api-key', 'create', '--name', 'k', '--permission', 'tokens:introspect', '--json'])
  const { api_key: key } = JSON.parse(permitted.stdout) as { api_key: string }
  return { folder, port, variables, jwt: await provider.operatorJwt(), client: { client_id, client_secret }, key }
}

const world = await makeWorld({ after })
/** One for all tests; the last ends it. */
const running = await start({ after }, world.folder, {
  args: ['serve'],
  variables: world.variables,
  ready: /another audience\.\n/,
})

/** On a connection of its own, so that any thread may get it. */
const send = async (
  path: string,
  message: { readonly fields?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>> },
): Promise<{ readonly status: number | undefined; readonly body: string }> => {
  const method = message.fields === undefined ? 'GET' : 'POST'
  const type = message.fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { ...type, ...message.headers }
  const asked = request({ host: '127.0.0.1', port: world.port, path, method, headers, agent: false })
  asked.end(message.fields === undefined ? undefined : new URLSearchParams(message.fields).toString())
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

const issue = async (): Promise<string> => {
  const fields = { grant_type: 'client_credentials', scope: 'db:read', ...world.client }
  const { status, body } = await send('/oauth/token', { fields })
  assert.equal(status, 200, body)
  return (JSON.parse(body) as { access_token: string }).access_token
}

const introspect = (token: string) =>
  send('/oauth/introspect/v2', { fields: { token }, headers: { 'x-api-key': world.key } })

test('what one worker issued is active on each, and what one revoked is inactive on each', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => issue()))
  for (const token of tokens) {
    const before = await Promise.all(Array.from({ length: 6 }, () => introspect(token)))
    assert.ok(before.every(({ body }) => (JSON.parse(body) as { active: boolean }).active))
    const headers = { authorization: `Bearer ${world.jwt}` }
    assert.deepEqual(await send('/oauth/revoke', { fields: { token }, headers }), { status: 200, body: '{}' })
    const later = await Promise.all(Array.from({ length: 6 }, () => introspect(token)))
    assert.deepEqual(new Set(later.map(({ body }) => body)), new Set(['{"active":false}']))
  }
})

test('a port that another program shares is refused in one line', async t => {
  const { folder, port, variables } = await makeWorld(t)
  const other = createServer()
  other.listen({ host: '127.0.0.1', port: port, reusePort: process.platform === 'linux' })
  await once(other, 'listening')
  t.after(() => other.close())
  // By then the audit log may have been sealed, and the log says so.
  const { status, stderr } = runAlone(folder, ['serve'], { ...variables, LOG_LEVEL: 'warn' })
  assert.equal(status, 1)
  assert.match(stderr, /^mintmark: .*PORT.*\n$/)
})

test('at SIGTERM /readyz fails on each worker while tokens are still issued; a second signal ends the process', async () => {
  assert.equal((await send('/readyz', {})).status, 200)
  running.signal('SIGTERM')
  let unready = 0
  // The signal and the order to each thread take their time; every thread fails from then on.
  for (let asked = 0; unready < 10 * WORKERS && asked < 10_000; asked += 1) {
    unready = (await send('/readyz', {})).status === 503 ? unready + 1 : 0
  }
  assert.equal(unready, 10 * WORKERS)
  const token = await issue()
  assert.match((await introspect(token)).body, /"active":true/)
  // The drain would go on for five minutes.
  const ended = await running.stop()
  assert.notEqual(ended.status, 0)
})
