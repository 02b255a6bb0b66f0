// The nginx of the feed drill: by default it follows the header of a stream, and it can be configured not to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findNginx, openNginx } from '../../../../testkit/proxies/nginx.ts'

const program = findNginx()
const skip = program === undefined ? 'nginx is not on this machine' : false
/** A time longer than an event needs that nobody holds back. */
const HELD_MS = 1000
/** nginx may not have loaded its settings yet. */
const TRIES_MAX = 20

/** A stream whose first event is sent at once, and its response, which the test ends. */
const serveStream = async (context: TestContext, headers: Readonly<Record<string, string>>) => {
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => {
    responses.push(response)
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    response.write('event: heartbeat\ndata: {}\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const nginx = await openNginx(program ?? '', (server.address() as AddressInfo).port)
  context.after(nginx.close)
  return { nginx, endAll: () => responses.splice(0).forEach(response => response.end()) }
}

/** Whether the first event came while the stream was open, which is ended after some time; undefined where it was cut. */
const passes = async (port: number, endAll: () => void): Promise<boolean | undefined> => {
  const state = { isEnded: false }
  const ending = delay(HELD_MS).then(() => {
    state.isEnded = true
    endAll()
  })
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const reader = response.body?.getReader()
    await reader?.read()
    const isOpen = !state.isEnded
    await reader?.cancel()
    return isOpen
  } catch {
    // nginx loads its settings, and closes what is open.
    return undefined
  } finally {
    await ending
  }
}

const passesInTheEnd = async (port: number, endAll: () => void, wanted: boolean): Promise<boolean> => {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if ((await passes(port, endAll)) === wanted) return wanted
  }
  return !wanted
}

test('nginx with proxy_buffering on passes on a stream that asks for it by X-Accel-Buffering', {
  skip,
}, async context => {
  const { nginx, endAll } = await serveStream(context, { 'x-accel-buffering': 'no' })
  assert.equal(await passesInTheEnd(nginx.port, endAll, true), true)
})

test('nginx that is configured to buffer keeps the same stream, until it is configured otherwise', {
  skip,
}, async context => {
  const { nginx, endAll } = await serveStream(context, { 'x-accel-buffering': 'no' })
  nginx.setBuffering(true)
  assert.equal(await passesInTheEnd(nginx.port, endAll, false), false)
  nginx.setBuffering(false)
  assert.equal(await passesInTheEnd(nginx.port, endAll, true), true)
})
