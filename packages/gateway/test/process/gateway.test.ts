// `mintmark-verify serve` as a process: its start, its signals, a service that answers no more, and a connection that sends garbage.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../../../../testkit/processes/end-child.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { open } from '../../../verify/test/follow.ts'
import { buildCommand } from '../../build.ts'
import { formatHelp } from '../../src/settings.ts'
import { argumentsFor, check } from '../gateway.ts'
import { ask, statusOf } from '../../../verify/test/servers/ask.ts'
import { API_KEY } from '../../../../testkit/feed/reference-publisher.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const COMMAND = resolve(import.meta.dirname, '../../bin/mintmark-verify.js')
const ENVIRONMENT = { PATH: process.env['PATH'], MINTMARK_VERIFY_API_KEY: API_KEY }

type Line = Readonly<Record<string, unknown>> & { readonly event: string }

type Running = { readonly child: ChildProcess; readonly lines: () => readonly Line[]; readonly output: () => string }

const start = (t: TestContext, args: readonly string[]): Running => {
  const child = spawn(process.execPath, [COMMAND, 'serve', ...args], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => endChild(child, 'SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', piece => (output += piece))
  const lines = () =>
    output
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Line)
  return { child, lines, output: () => output }
}

const addressOf = async ({ lines, output }: Running): Promise<string> => {
  const find = () => lines().find(({ event }) => event === 'listening')?.['address']
  await until(`it listens: ${output()}`, async () => find() !== undefined)
  return `http://${String(find())}`
}

const isReady = async (origin: string): Promise<boolean> => (await statusOf(ask(origin, '/readyz'))) === 200

test('a service that answers no more leaves it closed: stale, not ready, and 503 for each token', async t => {
  const publisher = await open(t)
  const running = start(t, argumentsFor(publisher, '--max-staleness', '1'))
  const origin = await addressOf(running)
  await until('it is ready', () => isReady(origin))
  const [{ token }, ended] = [publisher.mint(), publisher.mint()]
  assert.equal(await statusOf(check(origin, token)), 200)
  publisher.end(ended)
  await until('a revoked token is 401', async () => (await statusOf(check(origin, ended.token))) === 401)
  const [fresh, failedAt] = [publisher.mint(), Date.now()]
  publisher.fault = (_request, response) => {
    response.destroy()
    return true
  }
  let late = 0
  await until('it is stale', async () => {
    const status = await statusOf(check(origin, token))
    if (status === 200) late = Date.now() - failedAt
    return status === 503
  })
  assert.ok(late < 1500, `Accepted ${late} ms after the last answer.`)
  for (const one of [token, fresh.token, ended.token]) {
    assert.notEqual(await statusOf(check(origin, one)), 200)
    assert.equal(await isReady(origin), false)
  }
  publisher.fault = undefined
  await until('it is ready again', () => isReady(origin))
  assert.equal(await statusOf(check(origin, token)), 200)
  const events = running.lines().map(({ event }) => event)
  for (const event of ['ready', 'not_ready', 'problem']) assert.ok(events.includes(event), event)
  for (const secret of [API_KEY, token]) assert.ok(!running.output().includes(secret))
})

test('SIGHUP and SIGUSR1 change nothing; after SIGTERM it is not ready, answers what is under way, and ends with 0', async t => {
  const publisher = await open(t)
  const running = start(t, argumentsFor(publisher, '--mode', 'introspect'))
  const { child } = running
  const origin = await addressOf(running)
  child.kill('SIGHUP')
  child.kill('SIGUSR1')
  const { token } = publisher.mint()
  assert.equal(await statusOf(check(origin, token)), 200)
  const { promise: released, resolve: release } = Promise.withResolvers<boolean>()
  publisher.fault = () => released
  const underWay = check(origin, token)
  await until('the service is asked', async () => publisher.count('/oauth/introspect/v2') > 1)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await until('it stops', async () => running.lines().some(({ event }) => event === 'stopping'))
  assert.equal(await isReady(origin), false)
  release(false)
  assert.equal((await underWay).status, 200)
  assert.deepEqual(await exited, [0, null])
  assert.ok(!running.output().includes('Debugger'))
  assert.equal(running.lines().at(-1)?.event, 'stopped')
})

test('as the port closes, callers in the queue of the system and one that is silent until then are answered', async t => {
  const publisher = await open(t)
  const running = start(t, argumentsFor(publisher, '--mode', 'offline'))
  const { child, lines } = running
  const origin = await addressOf(running)
  await until('it is ready', () => isReady(origin))
  child.kill('SIGTERM')
  await until('it stops', async () => lines().some(({ event }) => event === 'stopping'))
  const silent = connect(Number(new URL(origin).port), '127.0.0.1')
  const { token } = publisher.mint()
  assert.equal(await statusOf(check(origin, token)), 200)
  // It accepts nothing until it is late to close its port.
  child.kill('SIGSTOP')
  const queued = Array.from({ length: 16 }, () => statusOf(check(origin, token)))
  await delay(1200)
  child.kill('SIGCONT')
  assert.deepEqual(new Set(await Promise.all(queued)), new Set([200]))
  await assert.rejects(ask(origin, '/livez'), { code: 'ECONNREFUSED' })
  silent.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await text(silent), /^HTTP\/1\.1 200 /)
})

test('what cannot be started is one line and exit code 2', async t => {
  const publisher = await open(t)
  const holding = start(t, argumentsFor(publisher))
  const { host } = new URL(await addressOf(holding))
  for (const [args, said] of [
    [['--isuer', 'x'], /^mintmark-verify: Unknown option '--isuer'\. .*\n$/],
    [argumentsFor({ issuer: 'http://tokens.example' }), /^mintmark-verify: --issuer is not https\. .*\n$/],
    [
      [...argumentsFor(publisher).slice(0, 4), '--listen', host],
      /^mintmark-verify: .* cannot be bound \(EADDRINUSE\)\. .*\n$/,
    ],
  ] as const) {
    const running = start(t, args)
    const [code] = (await once(running.child, 'close')) as [number]
    assert.equal(code, 2)
    assert.match(running.output(), said)
  }
})

/** Shows the process to itself as process 1, of which the kernel drops each signal that it does not handle. */
const FIRST = `data:text/javascript,${encodeURIComponent(`
  Object.defineProperty(process, 'pid', { value: 1 })
  process.on('newListener', name => process.stdout.write('handled ' + String(name) + '\\n'))
`)}`

test('signals are handled before it reads what it is to do, also those that would end a process 1', async t => {
  const child = spawn(process.execPath, ['--import', FIRST, COMMAND, '--help'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => endChild(child, 'SIGKILL'))
  const printed = await text(child.stdout)
  const [before = '', after] = printed.split('Usage: ')
  assert.notEqual(after, undefined)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'])
    assert.ok(before.includes(`handled ${signal}\n`), signal)
})

test('no bytes of a connection end it', async t => {
  const publisher = await open(t)
  const running = start(t, argumentsFor(publisher, '--mode', 'offline'))
  const origin = await addressOf(running)
  const { port } = new URL(origin)
  for (const bytes of [
    '\0\0\0',
    'GET /check\r\n\r\n',
    `GET /check HTTP/1.1\r\nHost: a\r\nAuthorization: ${'x'.repeat(70_000)}\r\n\r\n`,
    'GET /check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n b\r\n\r\n',
    'POST /check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc',
    'CONNECT /check HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /check HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    socket.end(bytes)
    const answer = await text(socket).catch(() => '')
    assert.doesNotMatch(answer, /^HTTP\/1\.1 2/)
    socket.destroy()
  }
  assert.equal(await statusOf(check(origin, publisher.mint().token)), 200)
  assert.equal(running.child.exitCode, null)
})

test('it listens on a unix socket, also where a killed process left one behind', async t => {
  const publisher = await open(t)
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-verify-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'socket')
  const args = [
    ...argumentsFor(publisher, '--mode', 'offline').filter(one => !/^--listen$|:0$/.test(one)),
    '--listen',
    `unix:${path}`,
  ]
  const first = start(t, args)
  await addressOf(first)
  await endChild(first.child, 'SIGKILL')
  await addressOf(start(t, args))
  const request = httpRequest({ socketPath: path, path: '/livez' }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  response.resume()
})

test('the command runs as it is built', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-gateway-'))
  t.after(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await buildCommand(join(folder, 'dist'))
  const child = spawn(process.execPath, [join(folder, 'dist/main.js'), '--help'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  assert.equal(await text(child.stdout), `${formatHelp()}\n`)
})
