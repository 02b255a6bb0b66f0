// The fetch of clients' keys: public addresses only, connected to as they were checked, no redirect, and bounds on all.
import assert from 'node:assert/strict'
import { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { DOCUMENT_BYTES_MAX, type Fetch, fetchJson, type Fetched } from '../../src/keys/providers/fetch-json.ts'
import { makeGuardedFetch } from '../../src/keys/providers/guarded-fetch.ts'
import { makeNameLookups, type Resolve } from '../../src/keys/providers/name-lookups.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { monotonicMs } from '../../src/store/clocks.ts'

/** A server on this machine, and how often it was asked. */
const startListener = async (t: TestContext, answer: RequestListener) => {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { port: address.port, requests: () => requests }
}

/** Answers each look-up with the next of these lists of addresses, and counts them. */
const programmed = (...answers: readonly (readonly string[])[]) => {
  let asked = 0
  const resolve = (_host: string, _options: object, done: (error: null, found: object[]) => void): void => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? []
    asked += 1
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { resolve: resolve as unknown as Resolve, asked: () => asked }
}

const guardedFetch = (ranges: readonly string[], resolve: Resolve = lookup): Fetch =>
  makeGuardedFetch(ranges, makeNameLookups({ resolve, monotonicNow: monotonicMs, timing: TIMING }))

const get = (address: string, ranges: readonly string[], resolve?: Resolve, ms = 60_000): Promise<Fetched> =>
  fetchJson(guardedFetch(ranges, resolve), address, AbortSignal.timeout(ms))

const assertFailed = (fetched: Fetched, why: RegExp): void => {
  assert.ok('failure' in fetched, JSON.stringify(fetched))
  assert.match(fetched.failure.detail, why)
}

const NOT_PUBLIC = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::a00:1',
  '100::1',
  '2001:db8::1',
  '2002:a00:1::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'ff02::1',
]

for (const address of NOT_PUBLIC) {
  test(`${address} is not connected to, neither as it stands nor by a name`, async () => {
    const literal = address.includes(':') ? `[${address}]` : address
    assertFailed(await get(`https://${literal}/jwks`, []), /no address for everybody's use/)
    const { resolve } = programmed([address])
    assertFailed(await get('https://keys.example/jwks', [], resolve), /no address for everybody's use/)
  })
}

test('spellings that a URL reads as an address of this machine are not connected to', async t => {
  const { port, requests } = await startListener(t, (_request, response) => response.end('{}'))
  for (const host of ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', 'localhost']) {
    assertFailed(await get(`http://${host}:${port}/jwks`, []), /no address for everybody's use/)
  }
  assert.equal(requests(), 0)
})

test('a name with one public and one private address is not connected to', async () => {
  const { resolve } = programmed(['93.184.215.14', '10.0.0.1'])
  assertFailed(await get('https://keys.example/jwks', [], resolve), /is at 10\.0\.0\.1/)
})

test('an address in a range that is allowed is read', async t => {
  const { port } = await startListener(t, (_request, response) => response.end('{"keys":[]}'))
  assert.deepEqual(await get(`http://127.0.0.1:${port}/jwks`, ['127.0.0.0/8']), { value: { keys: [] } })
  assertFailed(await get(`http://127.0.0.1:${port}/jwks`, ['127.0.0.2/32', 'fd00::/8']), /no address for everybody/)
})

test('a name is resolved once, and connected to as it was checked', async t => {
  const { port, requests } = await startListener(t, (_request, response) => response.end('{"keys":[]}'))
  const allowedFirst = programmed(['127.0.0.1'], ['10.0.0.1'])
  const read = await get(`http://localhost:${port}/jwks`, ['127.0.0.1/32'], allowedFirst.resolve)
  assert.deepEqual([read, allowedFirst.asked(), requests()], [{ value: { keys: [] } }, 1, 1])
  const wrongFirst = programmed(['10.0.0.1'], ['127.0.0.1'])
  assertFailed(await get(`http://localhost:${port}/jwks`, ['127.0.0.1/32'], wrongFirst.resolve), /is at 10\.0\.0\.1/)
  assert.deepEqual([wrongFirst.asked(), requests()], [1, 1])
})

test('a redirect is not followed', async t => {
  const target = await startListener(t, (_request, response) => response.end('{"keys":[]}'))
  const location = `http://127.0.0.1:${target.port}/jwks`
  for (const status of [301, 302, 303, 307, 308]) {
    const { port } = await startListener(t, (_request, response) => response.writeHead(status, { location }).end())
    assertFailed(await get(`http://127.0.0.1:${port}/jwks`, ['127.0.0.0/8']), new RegExp(`answered ${status}`))
  }
  assert.equal(target.requests(), 0)
})

test('a body without end is read no further than its bound, and its connection is closed', async t => {
  const closed = Promise.withResolvers<null>()
  const { port } = await startListener(t, (_request, response) => {
    response.once('close', () => closed.resolve(null))
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      response.once('drain', write)
    }
    write()
  })
  assertFailed(await get(`http://127.0.0.1:${port}/jwks`, ['127.0.0.0/8']), /more than 262144 bytes/)
  await closed.promise
})

test('a server that never answers, and one that stops in its body, are given up', async t => {
  const silent = await startListener(t, () => undefined)
  assertFailed(await get(`http://127.0.0.1:${silent.port}/`, ['127.0.0.0/8'], undefined, 50), /failed/)
  const stopping = await startListener(t, (_request, response) => void response.write('{"keys":'))
  assertFailed(await get(`http://127.0.0.1:${stopping.port}/`, ['127.0.0.0/8'], undefined, 50), /failed/)
})

test('no status of a server is taken for an answer but 200', async t => {
  for (const status of [204, 304, 404, 500, 599, 999]) {
    const { port } = await startListener(t, (_request, response) => response.writeHead(status).end())
    assertFailed(await get(`http://127.0.0.1:${port}/`, ['127.0.0.0/8']), /answered \d+/)
  }
})

test('a server that changes to another protocol, and one that closes the connection, have not answered', async t => {
  const answers = ['HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n', '']
  for (const answer of answers) {
    const { port } = await startListener(t, ({ socket }) => void socket.end(answer))
    assertFailed(await get(`http://127.0.0.1:${port}/`, ['127.0.0.0/8']), /failed/)
  }
})

test('407 of a proxy is a failure with a reason', async t => {
  const { port } = await startListener(t, (_request, response) => response.writeHead(407).end())
  const address = `http://127.0.0.1:${port}/`
  assertFailed(await fetchJson(fetch, address, AbortSignal.timeout(60_000)), /\(fetch failed: no reason, as at 407\)$/)
})

const FETCHES: Readonly<Record<string, Fetch>> = {
  'of a provider': fetch,
  'of a client': guardedFetch(['127.0.0.0/8']),
}
const KEYS = '{"keys":[]}'

for (const [name, fetching] of Object.entries(FETCHES)) {
  const read = (port: number): Promise<Fetched> =>
    fetchJson(fetching, `http://127.0.0.1:${port}/jwks`, AbortSignal.timeout(60_000))

  test(`a document ${name} is asked for by a program with a name, as a key set or JSON, compressed or not`, async t => {
    const seen: IncomingHttpHeaders[] = []
    const { port } = await startListener(t, ({ headers }, response) => {
      seen.push(headers)
      response.end(KEYS)
    })
    assert.deepEqual(await read(port), { value: { keys: [] } })
    const [headers] = seen
    assert.match(headers?.['user-agent'] ?? '', /^mintmark\/\d+\.\d+\.\d+/)
    assert.equal(headers?.accept, 'application/jwk-set+json, application/json, */*;q=0.1')
    assert.equal(headers['accept-encoding'], 'gzip, br')
  })

  test(`a document ${name} is read in each content coding that is asked for, and behind a byte order mark`, async t => {
    const codings = { gzip: gzipSync, 'x-gzip': gzipSync, br: brotliCompressSync, identity: (text: string) => text }
    for (const [coding, encode] of Object.entries(codings)) {
      for (const text of [KEYS, `\u{FEFF}${KEYS}`]) {
        const { port } = await startListener(t, (_request, response) => {
          response.writeHead(200, { 'content-encoding': coding }).end(encode(text))
        })
        assert.deepEqual(await read(port), { value: { keys: [] } }, coding)
      }
    }
  })

  test(`a document ${name} is bounded once it is decoded, and one that cannot be decoded is a failure`, async t => {
    const bomb = gzipSync(Buffer.alloc(16 * DOCUMENT_BYTES_MAX, ' '))
    const broken: readonly (readonly [string, Buffer, RegExp])[] = [
      ['gzip', bomb, /more than 262144 bytes/],
      ['gzip', gzipSync(KEYS).subarray(0, 15), /failed/],
      ['gzip', Buffer.from(KEYS), /failed/],
      ['compress', Buffer.from('1f9d', 'hex'), /failed/],
    ]
    for (const [coding, bytes, why] of broken) {
      const { port } = await startListener(t, (_request, response) => {
        response.writeHead(200, { 'content-encoding': coding }).end(bytes)
      })
      assertFailed(await read(port), why)
    }
    const two = await startListener(t, (_request, response) => response.end(`\u{FEFF}\u{FEFF}${KEYS}`))
    assertFailed(await read(two.port), /failed/)
  })
}
