// What one connection may ask for at once, and in which order it is answered.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { get, issue, send } from '../../../../testkit/callers/requests.ts'
import { getOf, openConnection, readToEnd, statusesIn, TLS } from '../../../../testkit/callers/raw-connection.ts'
import { startServer, type TestServer, type TestServerOptions } from '../../../../testkit/services/test-server.ts'

const SHARED_WAITING_MAX = 16_384
const OWN_WAITING_MAX = 8

/** A service whose /readyz waits for the test. */
const startGated = async (server: TestServerOptions['server'] = {}) => {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const seen = { begun: 0, atOnce: 0, atOnceMax: 0 }
  const check = async (): Promise<null> => {
    seen.begun += 1
    seen.atOnce += 1
    seen.atOnceMax = Math.max(seen.atOnceMax, seen.atOnce)
    arrived.resolve()
    await go.promise
    seen.atOnce -= 1
    return null
  }
  // However long this machine takes, no request has waited for too long.
  const monotonic = (): number => 0
  const service = await startServer({
    server,
    break: ports => ({ ...ports, monotonic, health: { ...ports.health, check } }),
  })
  return { service, seen, arrived: arrived.promise, go: go.resolve }
}

/** As many requests as given, of which the last one asks that the connection be closed. */
const manyOf = (service: TestServer, path: string, requests: number): string =>
  getOf(service, path).repeat(requests - 1) + getOf(service, path).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

/** By then the service has read what it reads of what was sent, and the test has seen whether it closed the connection. */
const passTurns = async (service: TestServer): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await get(service, '/livez')
}

for (const [scheme, options] of [
  ['plain', {}],
  ['TLS', TLS],
] as const) {
  test(`requests that arrive together on a connection are handled one at a time, and all answered (${scheme})`, async () => {
    const { service, seen, arrived, go } = await startGated(options)
    try {
      const socket = await openConnection(service)
      socket.write(manyOf(service, '/readyz', OWN_WAITING_MAX + 1))
      const answers = readToEnd(socket)
      await arrived
      go()
      assert.deepEqual(
        statusesIn(await answers),
        Array.from({ length: OWN_WAITING_MAX + 1 }, () => 200),
      )
      assert.deepEqual(seen, { begun: OWN_WAITING_MAX + 1, atOnce: 0, atOnceMax: 1 })
    } finally {
      await service.close()
    }
  })

  for (const requests of [1, 3]) {
    test(`a caller that sends ${requests} and then no more is answered ${requests}, and the connection ends (${scheme})`, async () => {
      const { service, arrived, go } = await startGated(options)
      try {
        const socket = await openConnection(service)
        socket.end(getOf(service, '/readyz').repeat(requests))
        const answers = readToEnd(socket)
        await arrived
        await passTurns(service)
        go()
        assert.deepEqual(
          statusesIn(await answers),
          Array.from({ length: requests }, () => 200),
        )
      } finally {
        await service.close()
      }
    })
  }

  test(`a connection on which requests wait is not read, and so may send more of them than may wait (${scheme})`, async () => {
    const { service, arrived, go } = await startGated(options)
    try {
      const socket = await openConnection(service)
      const requests = OWN_WAITING_MAX + SHARED_WAITING_MAX + 2
      socket.write(getOf(service, '/readyz') + manyOf(service, '/livez', requests))
      const answers = readToEnd(socket)
      await arrived
      await passTurns(service)
      go()
      assert.equal(statusesIn(await answers).length, requests + 1)
    } finally {
      await service.close()
    }
  })
}

/** Whether the service keeps a connection that sends so many requests at once. */
const isKept = async (service: TestServer, socket: Socket, requests: number): Promise<boolean> => {
  let isClosed = false
  socket.resume().once('close', () => {
    isClosed = true
  })
  socket.write(getOf(service, '/readyz').repeat(requests))
  await passTurns(service)
  return !isClosed
}

/** Connections on which as many requests wait as may: not one more does. */
const fillShare = async (service: TestServer): Promise<readonly Socket[]> => {
  const backfilling: Socket[] = []
  const fewest = OWN_WAITING_MAX + 2
  let requests = Math.floor(65_000 / getOf(service, '/readyz').length)
  while (backfilling.length < SHARED_WAITING_MAX / OWN_WAITING_MAX) {
    const socket = await openConnection(service)
    if (await isKept(service, socket, requests)) backfilling.push(socket)
    else if (requests === fewest) return backfilling
    else requests = Math.max(fewest, Math.floor(requests / 2))
  }
  throw new Error('Any number of requests may wait.')
}

test('where too many requests wait, 8 of each connection still may, and a connection with one more is closed', async () => {
  const { service, seen, go } = await startGated()
  try {
    const backfilling = await fillShare(service)
    const begunBefore = seen.begun
    const [within, beyond] = [await openConnection(service), await openConnection(service)]
    within.write(manyOf(service, '/readyz', OWN_WAITING_MAX + 1))
    beyond.write(manyOf(service, '/readyz', OWN_WAITING_MAX + 2))
    assert.equal(await readToEnd(beyond), '')
    const answers = readToEnd(within)
    for (const socket of backfilling) socket.resetAndDestroy()
    go()
    assert.equal(statusesIn(await answers).length, OWN_WAITING_MAX + 1)
    // Of each connection that has gone only the request that was begun already.
    assert.equal(seen.begun, begunBefore + OWN_WAITING_MAX + 2)
    const again = await openConnection(service)
    again.write(manyOf(service, '/livez', 3 * OWN_WAITING_MAX))
    assert.equal(statusesIn(await readToEnd(again)).length, 3 * OWN_WAITING_MAX)
  } finally {
    await service.close()
  }
})

test('a connection that is reset while its requests wait: none of them is begun', async () => {
  const { service, seen, arrived, go } = await startGated()
  try {
    const socket = await openConnection(service)
    socket.write(manyOf(service, '/readyz', OWN_WAITING_MAX))
    await arrived
    socket.resetAndDestroy()
    await once(socket, 'close')
    go()
    assert.equal((await get(service, '/livez')).status, 200)
  } finally {
    await service.close()
  }
  assert.equal(seen.begun, 1)
})

test('the next request of a connection is looked at when the one before it is answered: revoked is inactive', async () => {
  const service = await startServer()
  try {
    const token = await issue(service, await service.createAgent())
    const { key } = await service.createApiKey('tokens:introspect')
    const { host } = new URL(service.baseUrl)
    const post = (path: string, credential: string): string => {
      const form = `token=${token}`
      const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, credential, `Content-Length: ${form.length}`]
      return `${head.join('\r\n')}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n${form}`
    }
    const socket = await openConnection(service)
    const revocation = post('/oauth/revoke', `Authorization: Bearer ${await service.provider.operatorJwt()}`)
    const introspection = post('/oauth/introspect/v2', `X-API-Key: ${key}`)
    socket.write(introspection + revocation + introspection + manyOf(service, '/livez', 1))
    const answers = await readToEnd(socket)
    assert.deepEqual(statusesIn(answers), [200, 200, 200, 200])
    assert.deepEqual(answers.match(/"active":(?:true|false)/g), ['"active":true', '"active":false'])
  } finally {
    await service.close()
  }
})

test('bytes that are not HTTP behind a request: its answer comes first, then one 400, and the connection ends', async () => {
  const { service, arrived, go } = await startGated()
  try {
    const socket = await openConnection(service)
    socket.write(`${getOf(service, '/readyz').repeat(3)}nonsense\r\n\r\nnonsense\r\n\r\n`)
    const answers = readToEnd(socket)
    await arrived
    socket.write('more nonsense\r\n\r\n')
    go()
    assert.deepEqual(statusesIn(await answers), [200, 200, 200, 400])
  } finally {
    await service.close()
  }
})

const TUNNEL = 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'

test('a caller that resets its connection after CONNECT disturbs nobody', async () => {
  const service = await startServer()
  try {
    const socket = await openConnection(service)
    socket.write(TUNNEL)
    await once(socket, 'data')
    socket.resetAndDestroy()
    await passTurns(service)
    assert.equal((await get(service, '/livez')).status, 200)
  } finally {
    await service.close()
  }
})

for (const [scheme, options] of [
  ['plain', {}],
  ['TLS', TLS],
] as const) {
  test(`CONNECT behind requests: their answers come first, then one 501, and the connection ends (${scheme})`, async () => {
    const { service, arrived, go } = await startGated(options)
    try {
      const alone = await openConnection(service)
      alone.write(TUNNEL)
      assert.match(await readToEnd(alone), /^HTTP\/1\.1 501 [^]*"error":"not_implemented"/)
      const behind = await openConnection(service)
      let answers = ''
      behind.on('data', bytes => {
        answers += String(bytes)
      })
      const isOver = finished(behind.end(getOf(service, '/readyz').repeat(2) + TUNNEL + 'x'.repeat(16_777_216)))
      await arrived
      go()
      await isOver
      assert.deepEqual(statusesIn(answers), [200, 200, 501])
    } finally {
      await service.close()
    }
  })
}

test('a body that is not HTTP: one 400 in its turn, and its request is not begun', async () => {
  const { service, seen, arrived, go } = await startGated()
  const chunked = (path: string) =>
    getOf(service, path).replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n\r\n')
  try {
    const alone = await openConnection(service)
    alone.write(chunked('/oauth/token').replace('GET', 'POST'))
    assert.deepEqual(statusesIn(await readToEnd(alone)), [400])
    const behind = await openConnection(service)
    behind.write(getOf(service, '/readyz') + chunked('/readyz'))
    const answers = readToEnd(behind)
    await arrived
    go()
    assert.deepEqual(statusesIn(await answers), [200, 400])
    assert.equal(seen.begun, 1)
  } finally {
    await service.close()
  }
})

test('a request that is answered before its body was read gets no second answer', async () => {
  const service = await startServer()
  try {
    const socket = await openConnection(service)
    const head = getOf(service, '/nothing').replace('GET', 'POST').trimEnd()
    socket.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    await once(socket, 'readable')
    socket.write('no chunk\r\n\r\n')
    assert.deepEqual(statusesIn(await readToEnd(socket)), [404])
    assert.equal((await send(service, { path: '/livez' })).status, 200)
  } finally {
    await service.close()
  }
})
