// mintmark-verify serve behind nginx, HAProxy, Apache and Caddy from Debian, and Envoy from PyPI, with the files of docs/recipes/gateway.md.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeProof, makeProofKey } from '../../../testkit/keys/dpop.ts'
import { DEBIAN, type Gateway, holdTo, ISSUER, RESOURCE, variable, withGateway } from '../debian/gateway.ts'
import { end, freePort, untilAnswering } from '../service.ts'

const COMMAND = resolve(import.meta.dirname, '../../../packages/verify/bin/mintmark-verify.js')
const ORIGIN = 'https://orders.example'
const PATH = '/v1/orders'
const CLIENT = { client_id: variable('CLIENT_ID'), client_secret: variable('CLIENT_SECRET') }
/** The feed brings a revocation within it, on a machine that others use too. */
const REVOKED_WITHIN_MS = 2000
/** The recipes wait for a check for 5 s; HAProxy asks four times. */
const HUNG_MS_MAX = 30_000
const SET = ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'x-auth-actor']

/** An API that answers with the headers that reached it. */
const startApi = async (): Promise<Server> => {
  const api = createServer(({ headers }, response) => response.end(JSON.stringify(headers))).listen(0, '127.0.0.1')
  await once(api, 'listening')
  return api
}

type Check = { readonly address: string; readonly child: ChildProcess }

const untilReady = ({ address, child }: Check): Promise<void> => untilAnswering(`http://${address}/readyz`, child)

const startCheck = async ({ requestFrom, scope }: Try): Promise<Check> => {
  const address = `127.0.0.1:${await freePort()}`
  const args = ['--issuer', ISSUER, '--audience', RESOURCE, '--listen', address, '--when-stale', 'refuse']
  if (scope !== undefined) args.push('--scope', scope)
  const child = spawn(
    process.execPath,
    [COMMAND, 'serve', ...args, '--origin', ORIGIN, '--request-from', requestFrom],
    {
      env: { PATH: process.env['PATH'], MINTMARK_VERIFY_API_KEY: variable('API_KEY') },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  )
  const check = { address, child }
  await untilReady(check)
  return check
}

const key = makeProofKey()

const prove = (
  htm: string,
  htu: string,
  more: { readonly ath?: string; readonly nonce?: string | undefined },
): string => makeProof(key, { claims: { htm, htu, iat: Math.floor(Date.now() / 1000), jti: randomUUID(), ...more } })

const ask = (headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
  const fields = { ...CLIENT, grant_type: 'client_credentials', resource: RESOURCE, scope: 'db:read' }
  return fetch(`${ISSUER}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

const tokenIn = async (response: Response): Promise<string> => {
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return (JSON.parse(answer) as { readonly access_token: string }).access_token
}

const take = async (): Promise<string> => tokenIn(await ask())

const askBound = (nonce?: string): Promise<Response> => ask({ dpop: prove('POST', `${ISSUER}/oauth/token`, { nonce }) })

/** With the nonce of the service, which its first answer has. */
const takeBound = async (): Promise<string> => {
  const first = await askBound()
  return tokenIn(await askBound(first.headers.get('dpop-nonce') ?? ''))
}

type Seen = Readonly<Record<string, string | undefined>>

/** No header that is set goes missing because the caller names it as one of the connection (RFC 9110 §7.6.1). */
const holdToConnection = async (origin: string): Promise<void> => {
  const headers = { authorization: `Bearer ${await take()}`, connection: 'close, X-Auth-Subject, x-auth-scope' }
  const sent = request(origin + PATH, { headers, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  if (response.statusCode === 400) return
  const seen = JSON.parse(body) as Seen
  assert.deepEqual([seen['x-auth-subject'], seen['x-auth-scope']], [CLIENT.client_id, 'db:read'])
  assert.doesNotMatch(seen['connection'] ?? '', /x-auth/i)
}

/** Nothing that a caller sends as one of the headers reaches the API, also where the token says nothing there. */
const holdToHeaders = async (origin: string): Promise<void> => {
  const spelled = [...SET, ...SET.map(name => name.replaceAll('-', '_')), 'x-auth_scope', 'x_auth-actor']
  const forged = Object.fromEntries(spelled.map(name => [name, 'admin']))
  const response = await fetch(origin + PATH, { headers: { ...forged, authorization: `Bearer ${await take()}` } })
  assert.equal(response.status, 200)
  const seen = (await response.json()) as Seen
  assert.ok(!Object.values(seen).includes('admin'), JSON.stringify(seen))
  const { client_id: client } = CLIENT
  assert.deepEqual(
    SET.map(name => seen[name] ?? ''),
    [client, client, 'db:read', ''],
  )
  const refused = await fetch(origin + PATH, { headers: forged })
  assert.equal(refused.status, 401)
  assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer scope="db:read", resource_metadata=/)
}

/** A proof passes for the request that was made, and for none that a caller names beside it. */
const holdToProofs = async (origin: string): Promise<void> => {
  const token = await takeBound()
  const ath = createHash('sha256').update(token).digest('base64url')
  const status = async (proof: string, path: string, more: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await fetch(origin + path, { headers: { authorization: `DPoP ${token}`, dpop: proof, ...more } })).status
  const proof = (): string => prove('GET', ORIGIN + PATH, { ath })
  const forged = {
    'x-original-method': 'GET',
    'x-original-uri': PATH,
    'x-forwarded-method': 'GET',
    'x-forwarded-uri': PATH,
  }
  assert.equal(await status(proof(), `${PATH}?page=2`), 200)
  assert.equal(await status(proof(), '/v1/admin'), 401)
  assert.equal(await status(proof(), '/v1/admin', forged), 401)
  assert.equal(await status(prove('POST', ORIGIN + PATH, { ath }), PATH), 401)
}

/** A process that hangs lets nothing pass, and keeps nobody for long. */
const holdToHung = async (origin: string, check: Check): Promise<void> => {
  const headers = { authorization: `Bearer ${await take()}` }
  check.child.kill('SIGSTOP')
  try {
    const from = performance.now()
    const { status } = await fetch(origin + PATH, { headers, signal: AbortSignal.timeout(HUNG_MS_MAX) })
    console.log(`hung: ${status} after ${Math.round(performance.now() - from)} ms`)
    assert.ok(status >= 500, String(status))
  } finally {
    check.child.kill('SIGCONT')
  }
  await untilReady(check)
}

/** Without the process nothing passes. */
const holdToClosed = async (origin: string, child: ChildProcess): Promise<void> => {
  const headers = { authorization: `Bearer ${await take()}` }
  assert.equal((await fetch(origin + PATH, { headers })).status, 200)
  await end(child)
  const { status } = await fetch(origin + PATH, { headers })
  assert.ok(status >= 500, String(status))
}

type Variables = Readonly<Record<string, string>>

const file = (name: string): string => join(import.meta.dirname, name)

const substitute = (folder: string, name: string, variables: Variables): string => {
  const template = readFileSync(file(`${name}.template`), 'utf8')
  const path = join(folder, name)
  writeFileSync(
    path,
    template.replaceAll(/\$\{(\w+)\}/g, (_text, one: string) => variables[one] ?? ''),
  )
  return path
}

/** The recipe as it stands in the frame, which says how far in. */
const indented = (name: string, spaces: number): string =>
  readFileSync(file(name), 'utf8')
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(spaces)}`)

const LUA = join(DEBIAN, 'usr/share/lua/5.3/?.lua')

const ENVOY = join(variable('BUILD'), 'envoy/envoy/_bin/envoy')

type Try = {
  readonly command: string
  readonly requestFrom: string
  /** Where the gateway cannot name it in the address of a check. */
  readonly scope?: string
  readonly prepare: (gateway: Gateway, variables: Variables) => readonly string[]
}

const TRIES: readonly Try[] = [
  {
    command: 'nginx',
    requestFrom: 'x-original',
    prepare: ({ origin, folder }, variables) => {
      const all = { ...variables, FOLDER: folder, PORT: new URL(origin).port }
      for (const name of ['nginx.conf', 'auth-request.conf']) substitute(folder, name, all)
      return ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
    },
  },
  {
    command: 'haproxy',
    requestFrom: 'x-original',
    prepare: () => ['-db', '-f', file('frame.cfg'), '-f', file('gateway.cfg')],
  },
  { command: 'apache2', requestFrom: 'x-original', prepare: () => ['-f', file('httpd.conf'), '-D', 'FOREGROUND'] },
  {
    command: '../bin/caddy',
    requestFrom: 'x-forwarded',
    prepare: () => ['run', '--adapter', 'caddyfile', '--config', file('Caddyfile')],
  },
  {
    command: ENVOY,
    requestFrom: 'path',
    scope: 'db:read',
    prepare: ({ origin, folder }, variables) => {
      const all = { ...variables, PORT: new URL(origin).port, RECIPE: indented('envoy.yaml', 16) }
      return ['-c', substitute(folder, 'envoy-frame.yaml', all), '--disable-hot-restart', '--log-level', 'error']
    },
  },
]

const tryOne = async (gateway: Try, api: Server): Promise<void> => {
  const { command, prepare } = gateway
  const check = await startCheck(gateway)
  const { address, child } = check
  const { port } = api.address() as AddressInfo
  const upstream = `127.0.0.1:${port}`
  const variables = {
    CHECK: address,
    CHECK_PORT: new URL(`http://${address}`).port,
    UPSTREAM_PORT: String(port),
    UPSTREAM: `http://${upstream}`,
    UPSTREAM_HOST: upstream,
    RECIPES: import.meta.dirname,
    LUA_PATH: LUA,
    LUA_CPATH: join(DEBIAN, 'usr/lib/x86_64-linux-gnu/lua/5.3/?.so'),
  }
  try {
    await withGateway(
      command,
      running => ({ args: prepare(running, variables), env: { ...variables, HOME: running.folder } }),
      async origin => {
        console.log(command)
        await holdTo({ address: origin + PATH, seesRevocation: true, withinMs: REVOKED_WITHIN_MS })
        await holdToHeaders(origin)
        await holdToConnection(origin)
        await holdToProofs(origin)
        await holdToHung(origin, check)
        await holdToClosed(origin, child)
      },
    )
  } finally {
    await end(child)
  }
}

const api = await startApi()
try {
  for (const one of TRIES) await tryOne(one, api)
} finally {
  api.closeAllConnections()
  api.close()
}
