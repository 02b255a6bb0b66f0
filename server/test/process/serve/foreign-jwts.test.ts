// The JWTs of others on several serving threads: keys are fetched once for all of them, and a flood stops nobody.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { forgerOf, startFlood } from '../../../../testkit/loads/flood.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import {
  freePorts,
  makeFolder,
  run,
  type Scope,
  serveVariables,
  start,
} from '../../../../testkit/commands/run-mintmark.ts'

const WORKERS = 3
/** Connections enough for each thread to get some: the system shares them out. */
const EACH_THREAD = 60
const LIMIT = { timeout: 300_000 }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type World = {
  readonly port: number
  readonly url: string
  readonly provider: IdentityProvider
  readonly command: (...args: readonly string[]) => Readonly<Record<string, string>>
}

const serve = async (t: Scope): Promise<World> => {
  const folder = makeFolder(t)
  // The signatures that take longest to verify.
  const provider = await startIdentityProvider({ algorithms: ['ES384'] })
  t.after(() => provider.close())
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables = {
    ...serveVariables(port),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '127.0.0.0/8',
    MINTMARK_WORKERS: String(WORKERS),
    MINTMARK_DRAIN_SECONDS: '0',
    // Every failure is to be verified and answered as one.
    MINTMARK_FAILED_AUTH_PER_CLIENT: 'off',
    MINTMARK_FAILED_AUTH_PER_ADDRESS: 'off',
    LOG_LEVEL: 'warn',
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  const command = (...args: readonly string[]) => {
    const { stdout, stderr } = run(folder, [...args, '--json'])
    assert.notEqual(stdout, '', stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  return { port, url, provider, command }
}

/** One for all tests. */
const { port, url, provider, command } = await serve({ after })

type Request = {
  readonly headers?: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** On a connection of its own, so that any thread may get it. */
const post = async (path: string, { headers, fields }: Request) => {
  const options = { host: '127.0.0.1', port, path, method: 'POST', headers: { ...FORM, ...headers }, agent: false }
  const asked = request(options)
  asked.end(new URLSearchParams(fields).toString())
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

const revoke = async (jwt: string) =>
  (await post('/oauth/revoke', { headers: { authorization: `Bearer ${jwt}` }, fields: { token: 'x' } })).status

/** Comes again after a 503, as `Retry-After` says: how slow a machine is with a flood upon it is not what is tested here. */
const revokeInTheEnd = async (jwt: string): Promise<number | undefined> => {
  const status = await revoke(jwt)
  return status === 503 ? revokeInTheEnd(jwt) : status
}

const many = <T>(ask: () => Promise<T>): Promise<readonly T[]> => Promise.all(Array.from({ length: EACH_THREAD }, ask))

const only = (statuses: readonly (number | undefined)[], status: number): void =>
  assert.deepEqual(new Set(statuses), new Set([status]))

test(
  'keys of operators and keys of a client are fetched once, however many threads verify with them',
  LIMIT,
  async t => {
    const home = await startIdentityProvider()
    t.after(() => home.close())
    const agent = command('agent', 'create', '--name', 'a', '--scope', 'db:read', '--default-scope', 'db:read')
    const id = String(agent['agent_id'])
    command('credential', 'create', id, '--name', 'own keys', '--jwks-uri', home.jwksUri)
    const assertion = (header: object = {}): Promise<string> => {
      const iat = Math.floor(Date.now() / 1000)
      return home.sign({ iss: id, sub: id, aud: url, iat, exp: iat + 60, jti: randomUUID() }, { ...header })
    }
    const ask = async (signed: string) => {
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      const fields = { grant_type: 'client_credentials', client_assertion_type: type, client_assertion: signed }
      return (await post('/oauth/token', { fields })).status
    }
    only(await many(async () => ask(await assertion())), 200)
    only(await many(async () => revoke(await provider.operatorJwt({ jti: randomUUID() }))), 200)
    assert.deepEqual(
      [home.fetches, provider.fetches],
      [
        { metadata: 0, jwks: 1 },
        { metadata: 1, jwks: 1 },
      ],
    )
    // Each thread learns of key ids that nobody has, and all of them together read the sets once more at most.
    const forged = forgerOf(await assertion(), () => ({ alg: 'ES256', kid: randomUUID() }))
    only(await many(() => ask(forged())), 401)
    const forgedOperator = forgerOf(await provider.operatorJwt(), () => ({ alg: 'ES384', kid: randomUUID() }))
    only(await many(() => revoke(forgedOperator())), 401)
    assert.ok(home.fetches.jwks <= 2 && provider.fetches.jwks <= 2)
  },
)

test(
  'under a flood of forged JWTs on every thread, operators and API keys are served and no key is fetched again',
  LIMIT,
  async () => {
    const agent = command('agent', 'create', '--name', 'b', '--scope', 'db:read', '--default-scope', 'db:read')
    const key = command('api-key', 'create', '--name', 'k', '--permission', 'tokens:introspect')
    const { client_id = '', client_secret = '' } = agent
    const issued = await post('/oauth/token', {
      fields: { grant_type: 'client_credentials', client_id, client_secret },
    })
    const { access_token: token } = JSON.parse(issued.body) as { access_token: string }
    const forge = forgerOf(await provider.operatorJwt())
    const next = () => ({ headers: { ...FORM, authorization: `Bearer ${forge()}` }, body: 'token=x' })
    only(await many(async () => revoke(await provider.operatorJwt())), 200)
    const fetched = { ...provider.fetches }
    // From another address where this machine has one; there each has its share of what is verified.
    const from = process.platform === 'linux' ? '127.0.0.3' : '127.0.0.1'
    const flood = await startFlood({ port, path: '/oauth/revoke', from, connections: 800, next })
    const introspect = async () => {
      const headers = { 'x-api-key': String(key['api_key']) }
      return (await post('/oauth/introspect/v2', { headers, fields: { token } })).body.slice(0, 15)
    }
    const [revoked, introspected] = await Promise.all([
      many(async () => revokeInTheEnd(await provider.operatorJwt({ jti: randomUUID() }))),
      many(introspect),
    ])
    only(revoked, 200)
    assert.deepEqual(new Set(introspected), new Set(['{"active":true,']))
    const heads = await flood.heads
    assert.equal(heads.length, flood.requests)
    assert.ok(heads.every(head => /^HTTP\/1\.1 (401|503) /.test(head)))
    // Some or none, as the system shares out the connections; keys/verification-queue tests the bound.
    const busy = heads.filter(head => head.startsWith('HTTP/1.1 503'))
    assert.ok(busy.every(head => /\r\nretry-after: 1\r\n/i.test(head)))
    assert.deepEqual(provider.fetches, fetched)
  },
)
