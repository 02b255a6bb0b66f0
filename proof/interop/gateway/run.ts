// mintmark-verify serve behind nginx, HAProxy, Apache and Caddy from Debian, and Envoy and Traefik from PyPI, with the files of docs/apis/gateway.md.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { type Gateway, substitute, withGateway } from '../debian/gateway.ts'
import { startEcho } from '../requests/echo.ts'
import { BUILD, DEBIAN, ISSUER, ORDERS, variable } from '../requests/environment.ts'
import { holdToTable } from '../requests/run.ts'
import { ORIGIN } from '../requests/table.ts'
import { takeGood } from '../requests/tokens.ts'
import { end, freePort, untilAnswering } from '../service.ts'

const COMMAND = resolve(import.meta.dirname, '../../../packages/gateway/bin/mintmark-verify.js')
const PATH = '/v1/orders'
/** The recipes wait for a check for 5 s; HAProxy asks four times, and Traefik waits for 30 s. */
const HUNG_MS_MAX = 40_000

type Check = { readonly address: string; readonly child: ChildProcess }

const untilReady = ({ address, child }: Check): Promise<void> => untilAnswering(`http://${address}/readyz`, child)

const startCheck = async ({ requestFrom, scope }: Try): Promise<Check> => {
  const address = `127.0.0.1:${await freePort()}`
  const args = ['--issuer', ISSUER, '--audience', ORDERS, '--listen', address, '--when-stale', 'refuse']
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
  try {
    await untilReady(check)
  } catch (error) {
    await end(child)
    throw error
  }
  return check
}

/** A process that hangs lets nothing pass, and keeps nobody for long. */
const holdToHung = async (origin: string, check: Check): Promise<void> => {
  const headers = { authorization: `Bearer ${await takeGood(ORDERS)}` }
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
  const headers = { authorization: `Bearer ${await takeGood(ORDERS)}` }
  assert.equal((await fetch(origin + PATH, { headers })).status, 200)
  await end(child)
  const { status } = await fetch(origin + PATH, { headers })
  assert.ok(status >= 500, String(status))
}

type Variables = Readonly<Record<string, string>>

const file = (name: string): string => join(import.meta.dirname, name)

const place = (folder: string, name: string, variables: Variables): string =>
  substitute(file(`${name}.template`), join(folder, name), variables)

/** The recipe as it stands in the frame, which says how far in. */
const indented = (name: string, spaces: number): string =>
  readFileSync(file(name), 'utf8')
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(spaces)}`)

const LUA = join(DEBIAN, 'usr/share/lua/5.3/?.lua')

const ENVOY = join(BUILD, 'envoy/envoy/_bin/envoy')
const TRAEFIK = join(BUILD, 'traefik/bin/traefik')

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
      for (const name of ['nginx.conf', 'auth-request.conf']) place(folder, name, all)
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
      return ['-c', place(folder, 'envoy-frame.yaml', all), '--disable-hot-restart', '--log-level', 'error']
    },
  },
  {
    command: TRAEFIK,
    requestFrom: 'x-forwarded',
    prepare: ({ origin }) => [
      `--entrypoints.web.address=${new URL(origin).host}`,
      `--providers.file.filename=${file('traefik-route.yml')}`,
      '--global.checknewversion=false',
    ],
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
        await holdToTable({ address: origin + PATH, resource: ORDERS, kind: 'gateway', checks: 'feed' })
        await holdToHung(origin, check)
        await holdToClosed(origin, child)
      },
    )
  } finally {
    await end(child)
  }
}

const api = await startEcho()
try {
  for (const one of TRIES) await tryOne(one, api)
} finally {
  api.closeAllConnections()
  api.close()
}
