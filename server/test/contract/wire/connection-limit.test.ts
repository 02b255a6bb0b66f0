// Connections beyond a bound are closed at once, plain or by TLS, and those that are open are served as before.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import { CERTIFICATE } from '../../../../testkit/keys/loopback-certificate.ts'
import { getOf, readToEnd, statusesIn, TLS } from '../../../../testkit/callers/raw-connection.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import {
  CONNECTION_SLOTS,
  makeConnectionCounts,
  makeConnectionLimit,
} from '../../../src/http/wire/connections/connection-limit.ts'
import { TIMING, type Timing } from '../../../src/ports/timing.ts'
import { makeNetworks } from '../../../../packages/gateway/src/process/networks.ts'
import { makeSlots } from '../../../src/keys/clients/failed-authentications.ts'

const PER_ADDRESS = 12
const MAX = 40

/** A connection beyond the bound may be reset as soon as it is made, and has no handshake. */
const isOpen = (socket: Socket, event: 'connect' | 'secureConnect'): Promise<unknown> =>
  new Promise(resolve => socket.once(event, resolve).once('close', resolve))

const start = async (t: TestContext, isSecure: boolean, timing: Timing = TIMING) => {
  const own = makeConnectionCounts()
  const connections = makeConnectionLimit({
    max: MAX,
    perAddress: PER_ADDRESS,
    own,
    all: [own],
    slotsOf: makeSlots(new Uint8Array(32).fill(4), CONNECTION_SLOTS),
    isShared: makeNetworks(['127.0.0.9/32']),
    report: () => undefined,
    timing,
  })
  const limits: string[] = []
  const service = await startServer({
    server: { connections, ...(isSecure ? TLS : {}) },
    timing,
    break: ports => ({ ...ports, usage: { ...ports.usage, countRefused: (_, limit) => void limits.push(limit) } }),
  })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await service.close()
  })
  const open = async (localAddress: string): Promise<Socket> => {
    const { hostname, port } = new URL(service.baseUrl)
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    sockets.push(socket)
    socket.on('error', () => undefined)
    await isOpen(socket, 'connect')
    if (!isSecure || socket.destroyed) return socket
    const secure = connectSecurely({
      socket,
      ca: CERTIFICATE,
      servername: 'localhost',
      checkServerIdentity: () => undefined,
    })
    secure.on('error', () => undefined)
    await isOpen(secure, 'secureConnect')
    return secure
  }
  const openMany = async (count: number, address: string): Promise<readonly Socket[]> => {
    const opened: Socket[] = []
    for (let n = 0; n < count; n += 1) opened.push(await open(address))
    return opened
  }
  return { service, own, limits, open, openMany }
}

/** Whether a request on the connection is answered; it then stays open. */
const isServed = async (service: TestServer, socket: Socket): Promise<boolean> => {
  if (socket.destroyed) return false
  socket.write(getOf(service, '/livez'))
  const answer = await Promise.race([
    once(socket, 'data').then(([bytes]) => String(bytes)),
    once(socket, 'close').then(() => ''),
  ])
  return statusesIn(answer).includes(200)
}

const servedAmong = async (service: TestServer, sockets: readonly Socket[]): Promise<number> => {
  let served = 0
  for (const socket of sockets) served += Number(await isServed(service, socket))
  return served
}

const untilNoneIsCounted = async (own: Int32Array): Promise<void> => {
  while (own.some(count => count !== 0)) await new Promise(resolve => setImmediate(resolve))
}

for (const isSecure of [false, true]) {
  suite(isSecure ? 'by TLS' : 'plain', () => {
    test('connections of an address beyond its bound are closed without an answer, the others are served', async t => {
      const { service, own, limits, openMany } = await start(t, isSecure)
      const first = await openMany(PER_ADDRESS, '127.0.0.1')
      assert.equal(await servedAmong(service, first), PER_ADDRESS)
      const beyond = await openMany(5, '127.0.0.1')
      assert.deepEqual(await Promise.all(beyond.map(readToEnd)), Array(5).fill(''))
      const elsewhere = await openMany(1, '127.0.0.2')
      assert.equal(await servedAmong(service, [...first, ...elsewhere]), PER_ADDRESS + 1)
      assert.deepEqual(limits, Array(5).fill('connections'))
      for (const socket of [...first, ...elsewhere]) socket.destroy()
      await untilNoneIsCounted(own)
      assert.equal(await servedAmong(service, await openMany(PER_ADDRESS, '127.0.0.1')), PER_ADDRESS)
    })

    test('one address cannot fill all: others are served from the reserve', async t => {
      const { service, openMany } = await start(t, isSecure)
      const flood = await openMany(MAX + 5, '127.0.0.9')
      assert.equal(await servedAmong(service, flood), MAX - MAX / 10)
      assert.equal(await servedAmong(service, await openMany(2, '127.0.0.2')), 2)
      assert.equal(await servedAmong(service, await openMany(2, '127.0.0.3')), 2)
      assert.equal(await servedAmong(service, await openMany(1, '127.0.0.4')), 0)
      assert.equal(await servedAmong(service, flood), MAX - MAX / 10)
    })

    test('however a connection ends, it is counted no more', async t => {
      const timing = { ...TIMING, requestMs: 500, connectionCheckMs: 50, idleConnectionMs: 500 }
      const { service, own, open, openMany } = await start(t, isSecure, timing)
      const [ended, half, bad] = await openMany(3, '127.0.0.2')
      ended?.destroy()
      half?.end()
      bad?.write('no HTTP\r\n\r\n')
      const flood = await openMany(40, '127.0.0.2')
      for (const socket of flood) socket.destroy()
      const { hostname, port } = new URL(service.baseUrl)
      // Without a handshake, where there is one.
      const silent = connect({ host: hostname, port: Number(port) })
      silent.on('error', () => undefined)
      silent.write('no TLS')
      await isOpen(silent, 'connect')
      silent.resetAndDestroy()
      ;(await open('127.0.0.1')).destroy()
      await untilNoneIsCounted(own)
    })
  })
}
