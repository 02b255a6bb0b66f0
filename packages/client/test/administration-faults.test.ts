// An administration that hangs, lies or is cut off: bounded, typed, and without the credential.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { ApiRefused, ApiUnavailable } from '../src/administration/api-errors.ts'
import type { Connection } from '../src/administration/call.ts'
import { type AdministrationOptions, createAdministration } from '../src/administration/create-administration.ts'
import { OPERATIONS } from '../src/administration/generated/operations.ts'
import { readRecords } from '../src/administration/records.ts'
import { json, type LyingServer, startLyingServer } from './lying-server.ts'

const KEY = 'mma_a+key/of=mine'
let server: LyingServer

before(async () => {
  server = await startLyingServer(json(200, {}))
})
after(() => server.close())

const connect = (options: Partial<AdministrationOptions> = {}) =>
  createAdministration({ url: server.url, apiKey: KEY, ...options })

const unavailable = (reason: string | RegExp) => (fault: unknown) => {
  assert.ok(fault instanceof ApiUnavailable, String(fault))
  const { message } = fault
  if (typeof reason === 'string') assert.equal(message, `The service gave no answer: ${reason}.`)
  else assert.match(message, reason)
  assert.ok(!`${fault.stack}${JSON.stringify(fault)}`.includes(KEY))
  return true
}

const drain = async (records: AsyncIterable<unknown>): Promise<number> => {
  let count = 0
  for await (const record of records) count += record === undefined ? 0 : 1
  return count
}

test('a key of a creation that got no answer is in the error, to repeat it with', async () => {
  server.answerWith((_, response) => response.destroy())
  const body = { name: 'orders', scope: 'db:read' }
  let key: string | undefined
  await assert.rejects(connect().createAgent({ body }), fault => {
    key = (fault as ApiUnavailable).idempotencyKey
    return unavailable(/ECONNRESET|UND_ERR_SOCKET/)(fault)
  })
  assert.equal(server.received.at(-1)?.headers['idempotency-key'], `"${key}"`)
  server.answerWith(
    json(503, { error: 'temporarily_unavailable', error_description: 'Later.' }, { 'retry-after': '3' }),
  )
  await assert.rejects(connect().createAgent({ body, idempotencyKey: 'mine' }), fault => {
    assert.ok(fault instanceof ApiUnavailable)
    assert.deepEqual([fault.idempotencyKey, fault.retryAfterSeconds], ['mine', 3])
    return unavailable('it answers 503 temporarily_unavailable (Later.)')(fault)
  })
})

test('a key of a creation has 1 to 255 printable ASCII characters', async () => {
  const body = { name: 'orders', scope: 'db:read' }
  const sent = server.received.length
  for (const idempotencyKey of ['', 'x'.repeat(256), 'é', 'a\nb']) {
    await assert.rejects(connect().createAgent({ body, idempotencyKey }), TypeError)
  }
  assert.equal(server.received.length, sent)
  server.answerWith(json(201, { client_secret: 'mmc_x' }))
  await connect().createAgent({ body, idempotencyKey: 'x'.repeat(255) })
})

test('an answer that is not as Mintmark answers is unavailable', async () => {
  for (const [answer, reason] of [
    [json(200, '<html>'), 'it answers 200 with something else than an object of JSON'],
    [json(200, []), 'it answers 200 with something else than an object of JSON'],
    [json(302, '', { location: 'http://127.0.0.1:1/' }), 'it answers 302, and not as Mintmark does'],
    [json(404, '<html>'), 'it answers 404, and not as Mintmark does'],
    [
      json(429, { error: 'too_many_requests', error_description: 'Slower.' }),
      'it answers 429 too_many_requests (Slower.)',
    ],
  ] as const) {
    server.answerWith(answer)
    await assert.rejects(connect().showStatus(), unavailable(reason))
  }
})

test('a refusal does not repeat the credential', async () => {
  const said = { error: `no ${KEY}`, error_description: `${KEY} ${encodeURIComponent(KEY)}\nx` }
  server.answerWith(json(400, said))
  await assert.rejects(connect().showStatus(), fault => {
    assert.ok(fault instanceof ApiRefused)
    assert.deepEqual([fault.error, fault.description], ['no [redacted]', '[redacted] [redacted] x'])
    return true
  })
})

test('a service that hangs is given up in time, an export too, and a caller may give up before', async () => {
  server.answerWith(() => undefined)
  const hasty = connect({ timeoutMs: 50 })
  await assert.rejects(hasty.showStatus(), unavailable('no whole answer within 50 ms'))
  await assert.rejects(drain(hasty.exportTokens()), unavailable('no answer within 50 ms'))
  const reason = new Error('enough')
  await assert.rejects(connect().showStatus({ signal: AbortSignal.abort(reason) }), reason)
  await assert.rejects(drain(connect().exportTokens({ signal: AbortSignal.abort(reason) })), reason)
  const controller = new AbortController()
  const waiting = connect({ apiKey: () => new Promise(() => undefined) }).showStatus({ signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(waiting, reason)
})

test('a list without end, or that is none, is not followed', async () => {
  for (const [page, reason] of [
    [{ data: [1], next_cursor: 'same' }, 'its answer is no page of a list: its next_cursor is one of before'],
    [{ data: {}, next_cursor: null }, 'its answer is no page of a list: data is no array'],
    [{ data: [] }, 'its answer is no page of a list: next_cursor is neither text nor null'],
  ] as const) {
    server.answerWith(json(200, page))
    await assert.rejects(drain(connect().listTokens()), unavailable(reason))
  }
  let n = 0
  server.answerWith((request, response) => {
    n += 1
    return json(200, { data: [], next_cursor: ['a', 'b', 'c'][n % 3] })(request, response)
  })
  await assert.rejects(
    drain(connect().listTokens()),
    unavailable('its answer is no page of a list: its next_cursor is one of before'),
  )
  assert.ok(n < 10, String(n))
})

const exporting = (write: (response: ServerResponse) => unknown): void =>
  server.answerWith((_, response) => write(response.writeHead(200, { 'content-type': 'application/x-ndjson' })))

test('an export is handed out record by record while it comes, whatever parts its bytes come in', async () => {
  const bytes = Buffer.from('{"id":"ä"}\n{"id":"€"}\n')
  exporting(response => {
    for (const byte of bytes) response.write(Uint8Array.of(byte))
    response.end()
  })
  const ids: unknown[] = []
  for await (const { id } of connect().exportTokens()) ids.push(id)
  assert.deepEqual(ids, ['ä', '€'])
})

test('whatever the number of parts and requests, the signal of a caller holds no more than what is under way', async () => {
  exporting(response => {
    for (let n = 0; n < 2_000; n += 1) response.write(`{"id":"${n}"}\n`)
    response.end()
  })
  const { signal } = new AbortController()
  let most = 0
  for await (const { id } of connect().exportTokens({ signal })) {
    assert.match(id, /^\d+$/)
    most = Math.max(most, getEventListeners(signal, 'abort').length)
  }
  assert.equal(most, 1)
  server.answerWith(json(200, {}))
  for (let n = 0; n < 10; n += 1) await connect().showStatus({ signal })
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('an export whose reader leaves is ended at the service', async () => {
  const closed = Promise.withResolvers<void>()
  exporting(response => {
    response.once('close', () => closed.resolve())
    response.write('{"id":"1"}\n{"id":"2"}\n')
  })
  for await (const { id } of connect().exportTokens()) {
    assert.equal(id, '1')
    break
  }
  await closed.promise
})

test('a caller may give an export up in its midst, with the reason of its own', async () => {
  exporting(response => response.write('{"id":"1"}\n'))
  const [controller, reason] = [new AbortController(), new Error('enough')]
  const read = async (): Promise<void> => {
    for await (const { id } of connect().exportTokens({ signal: controller.signal })) {
      assert.equal(id, '1')
      controller.abort(reason)
    }
  }
  await assert.rejects(read(), reason)
})

test('an export that rests too long between its parts is given up, and a reader that rests is not', async () => {
  const authorize = () => Promise.resolve({ headers: {}, secret: KEY })
  const connection: Connection = { url: server.url, fetch, timeoutMs: 1_000, partMs: 50, authorize }
  const records = () => readRecords(connection, OPERATIONS.exportTokens, {})
  exporting(response => response.write('{"id":"1"}\n'))
  await assert.rejects(drain(records()), unavailable('no further part within 50 ms'))
  exporting(response => {
    response.write('{"id":"1"}\n')
    setImmediate(() => response.end('{"id":"2"}\n'))
  })
  let count = 0
  for await (const record of records()) {
    assert.ok(record)
    count += 1
    // What a reader does between two records may take longer than a part may.
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  assert.equal(count, 2)
})

test('an export that is cut is never taken for whole', async () => {
  exporting(response => response.end('{"id":"1"}\n{"id":'))
  await assert.rejects(
    drain(connect().exportTokens()),
    unavailable('the export is not whole: its last line has no end'),
  )
  exporting(response => response.end('{"id":"1"}\n[]\n'))
  await assert.rejects(
    drain(connect().exportTokens()),
    unavailable('the export is not whole: a line is no object of JSON'),
  )
  exporting(response => {
    response.write('{"id":"1"}\n')
    setImmediate(() => response.destroy())
  })
  await assert.rejects(drain(connect().exportTokens()), unavailable(/UND_ERR_SOCKET|ECONNRESET/))
})

test('a line of 1,048,576 characters is read, and one more is not', async () => {
  const line = (length: number): string => `{"id":"${'x'.repeat(length - 9)}"}`
  exporting(response => response.end(`${line(1_048_576)}\n`))
  assert.equal(await drain(connect().exportTokens()), 1)
  exporting(response => response.end(`${line(1_048_577)}\n`))
  const reason = 'the export is not whole: a line has more than 1048576 characters'
  await assert.rejects(drain(connect().exportTokens()), unavailable(reason))
})
