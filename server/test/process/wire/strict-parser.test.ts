// The parser of Node is strict for every listener, also where NODE_OPTIONS asks for a lenient one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBytes } from '../../../../testkit/callers/requests.ts'
import { freePorts, makeFolder, run, serveVariables, start } from '../../../../testkit/commands/run-mintmark.ts'

test('a body of two lengths is refused, whatever NODE_OPTIONS says', { timeout: 60_000 }, async t => {
  const [folder, [port, metricsPort]] = [makeFolder(t), await freePorts()]
  const variables = { ...serveVariables(port), MINTMARK_METRICS_ADDRESS: `127.0.0.1:${metricsPort}` }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const lenient = { ...variables, NODE_OPTIONS: '--insecure-http-parser' }
  await start(t, folder, { args: ['serve'], variables: lenient, ready: /another audience/ })
  for (const [listener, path] of [
    [port, '/livez'],
    [metricsPort, '/metrics'],
  ] as const) {
    // A proxy in front may believe the other one (RFC 9112 §6.1).
    const lengths = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lengths}\r\n0\r\n\r\n`
    assert.match(await sendBytes({ baseUrl: `http://127.0.0.1:${listener}` }, request), /^HTTP\/1\.1 400 /)
  }
})
