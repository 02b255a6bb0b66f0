// What the suites of Apache, nginx and HAProxy share: tokens of the service, a server from Debian, and what it must answer.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { end, freePort, untilAnswering } from '../service.ts'

export const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run \`npm run proof interop\`.`)
  return value
}

export const ISSUER = variable('ISSUER')
export const RESOURCE = 'https://orders.example/v1'
export const DEBIAN = join(variable('BUILD'), 'debian/root')

const SCOPE = 'db:read'
/** Past the second that a token of the brief agent lives, as both clocks count. */
const EXPIRED_AFTER_MS = 2_100
const BRIEF = { client_id: variable('BRIEF_CLIENT_ID'), client_secret: variable('BRIEF_CLIENT_SECRET') }
const CLIENT = { client_id: variable('CLIENT_ID'), client_secret: variable('CLIENT_SECRET') }

const libraries = (): string =>
  readdirSync(join(DEBIAN, 'usr/lib'))
    .filter(name => name.endsWith('-linux-gnu'))
    .map(name => join(DEBIAN, 'usr/lib', name))
    .join(':')

type Fields = Readonly<Record<string, string>>

const post = async (path: string, fields: Fields, client: Fields = CLIENT): Promise<Record<string, unknown>> => {
  const response = await fetch(ISSUER + path, { method: 'POST', body: new URLSearchParams({ ...client, ...fields }) })
  assert.equal(response.status, 200)
  return (await response.json()) as Record<string, unknown>
}

const take = async (resource: string, scope: string, client: Fields = CLIENT): Promise<string> => {
  const answer = await post('/oauth/token', { grant_type: 'client_credentials', resource, scope }, client)
  return String(answer['access_token'])
}

const statusOf = async (address: string, token?: string): Promise<number> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await fetch(address, { headers })).status
}

type Way = {
  /** The address at which the server checks tokens in this way. */
  readonly address: string
  /** Whether it asks for every request, and so refuses a revoked token at once. */
  readonly seesRevocation: boolean
  /** How long a revocation may take to be seen; at once unless given. */
  readonly withinMs?: number
}

/** The status of a revoked token, once it is another than 200 or the time is over. */
const statusOfRevoked = async ({ address, withinMs = 0 }: Way, token: string): Promise<number> => {
  const until = performance.now() + withinMs
  let status = await statusOf(address, token)
  while (status === 200 && performance.now() < until) status = await statusOf(address, token)
  return status
}

/** Sends what a resource server meets, and holds it to its answers. */
export const holdTo = async (way: Way): Promise<void> => {
  const { address, seesRevocation } = way
  const token = await take(RESOURCE, SCOPE)
  const forged = `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`
  const expired = await take(RESOURCE, SCOPE, BRIEF)
  await delay(EXPIRED_AFTER_MS)
  const seen = {
    good: await statusOf(address, token),
    'good again': await statusOf(address, token),
    none: await statusOf(address),
    forged: await statusOf(address, forged),
    expired: await statusOf(address, expired),
    malformed: await statusOf(address, 'x'),
    'of another resource': await statusOf(address, await take('https://mail.example', SCOPE)),
    'of another scope': await statusOf(address, await take(RESOURCE, 'db:write')),
    revoked: await post('/oauth/revoke', { token }).then(() => statusOfRevoked(way, token)),
  }
  console.log(address, seen)
  const { good, 'good again': again, revoked, ...refused } = seen
  assert.deepEqual([good, again], [200, 200])
  assert.equal(revoked === 200, !seesRevocation)
  for (const [why, status] of Object.entries(refused)) assert.ok([401, 403].includes(status), `${why}: ${status}`)
}

export type Gateway = { readonly origin: string; readonly folder: string }

/** Starts a server of Debian, or the one at an absolute path, waits until it answers, and ends it after the use. */
export const withGateway = async (
  command: string,
  prepare: (gateway: Gateway) => { readonly args: readonly string[]; readonly env?: Record<string, string> },
  use: (origin: string) => Promise<void>,
): Promise<void> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-gateway-'))
  // The server may read it as another user.
  chmodSync(folder, 0o755)
  const origin = `http://127.0.0.1:${port}`
  const { args, env } = prepare({ origin, folder })
  const running: ChildProcess = spawn(resolve(DEBIAN, 'usr/sbin', command), args, {
    env: { ...process.env, LD_LIBRARY_PATH: libraries(), DEBIAN, RESOURCE, FOLDER: folder, PORT: String(port), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    await untilAnswering(origin, running)
    await use(origin)
  } finally {
    await end(running)
    rmSync(folder, { recursive: true })
  }
}
