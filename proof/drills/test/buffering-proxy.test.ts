// The proxy that buffers as nginx does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { openBufferingProxy } from '../../../testkit/proxies/buffering-proxy.ts'

const BUFFER_BYTES = 10

const openWay = async (t: TestContext) => {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/whole') response.end('whole')
    else responses.push(response.writeHead(200))
    response.flushHeaders()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await openBufferingProxy((server.address() as AddressInfo).port, BUFFER_BYTES)
  t.after(async () => {
    await proxy.close()
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return { proxy, url: `http://127.0.0.1:${proxy.port}`, responses }
}

test('a response that has ended passes a buffering proxy, and one that is cut does not pass for whole', async t => {
  const { proxy, url, responses } = await openWay(t)
  proxy.setBuffering(true)
  assert.equal(await (await fetch(`${url}/whole`)).text(), 'whole')
  const cut = fetch(`${url}/stream`).then(response => response.text())
  while (responses.length === 0) await new Promise(resolve => setImmediate(resolve))
  responses[0]?.write('half')
  responses[0]?.destroy()
  await assert.rejects(cut)
})

test('a stream stands still in a buffering proxy until so many bytes have come, or it is let go', async t => {
  const { proxy, url, responses } = await openWay(t)
  const response = await fetch(`${url}/stream`)
  const reader = response.body?.getReader()
  const read = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? []).toString()
  responses[0]?.write('a')
  assert.equal(await read(), 'a')
  proxy.setBuffering(true)
  let isHere = false
  const next = read().finally(() => {
    isHere = true
  })
  responses[0]?.write('123456789')
  assert.equal(await (await fetch(`${url}/whole`)).text(), 'whole')
  assert.equal(isHere, false)
  responses[0]?.write('0')
  assert.equal(await next, '1234567890')
  const last = read()
  responses[0]?.write('b')
  assert.equal(await (await fetch(`${url}/whole`)).text(), 'whole')
  proxy.setBuffering(false)
  assert.equal(await last, 'b')
})
