// Connections to the servers of a process: as many at once as are to be had, and within limits at each of them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { BACKLOG } from '../../../src/http/wire/connections/accepting.ts'
import { getOf, openTcp, readToEnd, statusesIn } from '../../../../testkit/callers/raw-connection.ts'
import { freePorts, makeFolder, type Scope, start } from '../../../../testkit/commands/run-mintmark.ts'

/** Twice of what Node would let wait. Only Linux says what it allows, elsewhere 128 is usual. */
const connectionsToOpen = (): number => {
  if (process.platform !== 'linux') return 100
  return Math.min(1022, BACKLOG, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')))
}

const GIVE_UP_MS = 20_000

const startDev = async (t: Scope) => {
  const [port, providerPort] = await freePorts()
  const variables = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort), MINTMARK_DATA_DIR: 'data' }
  const running = await start(t, makeFolder(t), { args: ['dev'], variables, ready: /Stop with Ctrl\+C/ })
  const [service, provider] = [port, providerPort].map(one => ({ baseUrl: `http://127.0.0.1:${one}`, port: one }))
  assert.ok(service !== undefined && provider !== undefined)
  return { running, service, provider }
}

/** One for both tests, of which the second ends it. */
const dev = await startDev({ after })

test('the identity provider has the limits of the service', async () => {
  const { provider } = dev
  const request = getOf(provider, '/.well-known/openid-configuration')
  const broken = await openTcp(provider)
  broken.write(`${request}GET / HTTP/1.1\r\nBig: ${'x'.repeat(20_000)}\r\n\r\n`)
  assert.deepEqual(statusesIn(await readToEnd(broken)), [200, 431])
})

test('connections that arrive together wait until they are accepted, at the service and at the identity provider', async t => {
  const { running, service, provider } = dev
  running.signal('SIGSTOP')
  const sockets: Socket[] = []
  t.after(() => sockets.forEach(socket => socket.destroy()))
  for (const { port } of [service, provider]) {
    const opened = Array.from({ length: connectionsToOpen() }, () => connect({ host: '127.0.0.1', port }))
    sockets.push(...opened)
    const signal = AbortSignal.timeout(GIVE_UP_MS)
    await Promise.all(opened.map(socket => once(socket, 'connect', { signal })))
  }
  running.signal('SIGCONT')
  sockets.forEach(socket => socket.destroy())
  assert.equal((await running.stop()).status, 0)
})
