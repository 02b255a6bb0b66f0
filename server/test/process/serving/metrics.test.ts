// What a service of several threads exposes: requests change exactly the series that they should, and one target has all threads.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab } from '../../../src/metrics/memory.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { serveHere } from '../../../../testkit/services/serve-here.ts'

const ENDS_MAX = 5
const OPTIONS = { timeout: 300_000 }
const THREADS = process.platform === 'linux' ? 2 : 1

const start = (t: TestContext, threads = THREADS) => serveHere(t, { variables: { MINTMARK_WORKERS: String(threads) } })

/** Far more than a scrape may take (docs/reference/metrics.md has what it takes): on a busy machine the whole process waits for its turn. */
const SCRAPE_MS_MAX = 10_000

/** Every sample by its name and labels. */
const scrape = async (port: number): Promise<ReadonlyMap<string, number>> => {
  const signal = AbortSignal.timeout(SCRAPE_MS_MAX)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal })).text()
  const samples = text
    .split('\n')
    .filter(line => line.startsWith('mintmark_'))
    .map((line): [string, number] => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ])
  return new Map(samples)
}

const connectionsOf = (samples: ReadonlyMap<string, number>): number => samples.get('mintmark_connections') ?? 0

/** Once no more connections are open than before: a request counts once its answer has left, which its caller may see first. */
const scrapeCounted = async (port: number, before: ReadonlyMap<string, number>) => {
  let after = before
  await until('no more connections than before', async () => {
    after = await scrape(port)
    return connectionsOf(after) === connectionsOf(before)
  })
  return after
}

/** Of what changes by itself. The next signing key is made in the background. */
const BY_ITSELF =
  /^mintmark_(?:live_tokens|facts|event_loop|gc|commit|write|store_read|work|background|audit|key_set|signing_key_created|request_seconds_(?:bucket|sum)|group_requests|connections|start_)/

/** Samples that have changed, with the difference. */
const changes = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...after]
      .filter(([name]) => !BY_ITSELF.test(name))
      .map(([name, value]): [string, number] => [name, value - (before.get(name) ?? 0)])
      .filter(([, change]) => change !== 0),
  )

/** What Prometheus sends where it takes native histograms. */
const PREFERS_PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

test(
  'a scraper that prefers protobuf gets what it also accepts, and one that accepts nothing else the text',
  OPTIONS,
  async t => {
    const { metricsPort } = await start(t, 1)
    const typeFor = async (accept: string): Promise<string | null> => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { accept } })
      await response.arrayBuffer()
      return response.headers.get('content-type')
    }
    assert.equal(await typeFor(PREFERS_PROTOBUF), 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    assert.equal(await typeFor('application/vnd.google.protobuf'), 'text/plain; version=0.0.4; charset=utf-8')
  },
)

test('requests of each outcome change exactly their series, whichever thread answers', OPTIONS, async t => {
  const { ask, made, metricsPort } = await start(t)
  const agent = made('agent', 'create', '--name', 'metrics', '--scope', 'a:b', '--default-scope', 'a:b')
  const { api_key: key = '' } = made('api-key', 'create', '--name', 'k', '--permission', 'tokens:introspect')
  const credentials = { client_id: agent['client_id'] ?? '', client_secret: agent['client_secret'] ?? '' }
  const grant = { grant_type: 'client_credentials', ...credentials }
  const before = await scrape(metricsPort)
  let token = ''
  for (let n = 0; n < 6; n += 1) {
    const { status, body } = await ask('/oauth/token', {}, grant)
    assert.equal(status, 200, body)
    token = (JSON.parse(body) as { readonly access_token: string }).access_token
  }
  for (const secret of ['wrong', 'worse']) await ask('/oauth/token', {}, { ...grant, client_secret: secret })
  for (const one of [token, 'none', token]) {
    assert.equal((await ask('/oauth/introspect/v2', { 'x-api-key': key }, { token: one })).status, 200)
  }
  assert.equal((await ask('/oauth/revoke', {}, { token, ...credentials })).status, 200)
  assert.equal((await ask('/oauth/introspect/v2', { 'x-api-key': key }, { token })).status, 200)
  assert.equal((await ask('/nowhere')).status, 404)
  assert.equal((await ask('/livez')).status, 200)
  assert.deepEqual(changes(before, await scrapeCounted(metricsPort, before)), {
    'mintmark_requests_total{operation="issueToken",outcome="success"}': 6,
    'mintmark_requests_total{operation="issueToken",outcome="refused"}': 2,
    'mintmark_requests_total{operation="introspectToken",outcome="success"}': 4,
    'mintmark_requests_total{operation="revokeToken",outcome="success"}': 1,
    'mintmark_requests_total{operation="checkAlive",outcome="success"}': 1,
    'mintmark_requests_total{operation="other",outcome="refused"}': 1,
    'mintmark_request_seconds_count{operation="issueToken"}': 8,
    'mintmark_request_seconds_count{operation="introspectToken"}': 4,
    'mintmark_request_seconds_count{operation="revokeToken"}': 1,
    'mintmark_request_seconds_count{operation="checkAlive"}': 1,
    'mintmark_request_seconds_count{operation="other"}': 1,
    'mintmark_refusals_total{code="invalid_client"}': 2,
    'mintmark_refusals_total{code="not_found"}': 1,
    mintmark_tokens_issued_total: 6,
    'mintmark_tokens_ended_total{reason="self_revocation"}': 1,
    'mintmark_tokens_introspected_total{result="active"}': 2,
    'mintmark_tokens_introspected_total{result="inactive"}': 2,
  })
})

test(
  'a caller who hangs up before the answer is not counted as answered, and one whose URL cannot be read is',
  OPTIONS,
  async t => {
    const { ask, metricsPort, port } = await start(t, 1)
    const before = await scrape(metricsPort)
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    const type = 'content-type: application/x-www-form-urlencoded'
    // The second request begins as soon as the first is answered, and lacks most of its body.
    socket.write(
      `GET /livez HTTP/1.1\r\nhost: x\r\n\r\nPOST /oauth/token HTTP/1.1\r\nhost: x\r\n${type}\r\ncontent-length: 50\r\n\r\ngrant`,
    )
    await once(socket, 'data')
    socket.resetAndDestroy()
    assert.equal((await ask('/%ff')).status, 400)
    assert.deepEqual(changes(before, await scrapeCounted(metricsPort, before)), {
      'mintmark_requests_total{operation="checkAlive",outcome="success"}': 1,
      'mintmark_requests_total{operation="other",outcome="refused"}': 1,
      'mintmark_request_seconds_count{operation="checkAlive"}': 1,
      'mintmark_request_seconds_count{operation="other"}': 1,
      // An answer was made to both, and nobody heard the first.
      'mintmark_refusals_total{code="invalid_request"}': 2,
    })
  },
)

test('counters go on when a thread that counted is replaced', OPTIONS, async t => {
  const { ask, workers, metricsPort } = await start(t)
  const before = await scrape(metricsPort)
  for (let n = 0; n < 10; n += 1) assert.equal((await ask('/livez')).status, 200)
  // A request counts once its answer has left, which its caller may see first.
  const counted = async () =>
    changes(before, await scrape(metricsPort))['mintmark_request_seconds_count{operation="checkAlive"}']
  while ((await counted()) !== 10) await delay(10)
  assert.equal(workers.length, THREADS)
  await Promise.all(workers.map(thread => thread.terminate()))
  let answered = 0
  while (answered < 10) {
    const answer = await ask('/livez').catch(() => undefined)
    if (answer === undefined) await delay(50)
    else answered += 1
  }
  while ((await counted()) === 19) await delay(10)
  assert.deepEqual(changes(before, await scrape(metricsPort)), {
    'mintmark_requests_total{operation="checkAlive",outcome="success"}': 20,
    'mintmark_request_seconds_count{operation="checkAlive"}': 20,
    'mintmark_thread_ends_total{thread="serving"}': THREADS,
  })
})

test(
  'a callback that throws ends its thread alone, which is replaced and counted; five in a minute make /readyz say so',
  OPTIONS,
  async t => {
    const { ask, workers, metricsPort } = await start(t, 1)
    const before = await scrape(metricsPort)
    const untilAnswered = async (): Promise<string> => {
      for (;;) {
        const answer = await ask('/readyz').catch(() => undefined)
        if (answer !== undefined) return `${answer.status} ${answer.body}`
        await delay(50)
      }
    }
    for (let ends = 0; ends < ENDS_MAX; ends += 1) {
      assert.match(await untilAnswered(), /^200 /)
      const thread = workers.at(-1)
      assert.ok(thread !== undefined)
      const failed = once(thread, 'error')
      // No message of the main thread: the callback that takes it throws.
      thread.postMessage(null)
      const [fault] = (await failed) as readonly unknown[]
      assert.ok(fault instanceof TypeError, String(fault))
    }
    assert.match(await untilAnswered(), /^503 .*Threads of the process ended by themselves 5 times within a minute/)
    const after = changes(before, await scrape(metricsPort))
    assert.equal(after['mintmark_thread_ends_total{thread="serving"}'], ENDS_MAX)
  },
)

const BUSY = `
  const { workerData } = require('node:worker_threads')
  import(workerData.module).then(({ openRecorder }) => {
    const metrics = openRecorder(workerData.memory)
    for (;;) metrics.add('mintmark_tokens_issued_total', {})
  })`

test('what a thread counts can be read while its event loop is blocked', OPTIONS, async t => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  const module = new URL('../../../src/metrics/memory.ts', import.meta.url).href
  const thread = new Worker(BUSY, { eval: true, workerData: { module, memory: { lists, slab } } })
  t.after(() => thread.terminate())
  await once(thread, 'online')
  const read = () =>
    readMemory(layout, [slab]).find(({ name }) => name === 'mintmark_tokens_issued_total')?.series[0]?.value
  while (read() === 0) await delay(10)
  const first = Number(read())
  while (Number(read()) === first) await delay(10)
  assert.ok(Number(read()) > first)
})

/** More than begin in a turn of one thread and wait for the next. */
const PROBES = 1000

const openConnections = async (t: TestContext, port: number): Promise<readonly Socket[]> => {
  const sockets: Socket[] = []
  t.after(() => sockets.forEach(socket => socket.destroy()))
  for (let n = 0; n < PROBES; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    // What is shed closes some of them later.
    await once(socket, 'connect')
    socket.resume()
  }
  return sockets
}

const readShed = (samples: ReadonlyMap<string, number>): number =>
  samples.get('mintmark_requests_shed_total{kind="probe"}') ?? 0

/** Of those that waited for their start, and began. */
const readWaited = (samples: ReadonlyMap<string, number>): number =>
  samples.get('mintmark_start_wait_seconds_count{kind="probe"}') ?? 0

test('a service that sheds requests answers scrapes, and they show all that they showed before', OPTIONS, async t => {
  const { port, metricsPort } = await start(t, 1)
  const before = await scrape(metricsPort)
  assert.equal(readShed(before), 0)
  const flooded = new AbortController()
  const flood = async (): Promise<void> => {
    while (!flooded.signal.aborted) {
      const sockets = await openConnections(t, port)
      for (let n = 0; !flooded.signal.aborted && n < 20; n += 1) {
        for (const socket of sockets) socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
        await delay(20)
      }
      for (const socket of sockets) socket.destroy()
    }
  }
  const flooding = flood()
  let first = await scrape(metricsPort)
  while (readShed(first) === 0) first = await scrape(metricsPort)
  let second = await scrape(metricsPort)
  while (readShed(second) === readShed(first) || readWaited(second) === 0) second = await scrape(metricsPort)
  flooded.abort()
  await flooding
  assert.ok((second.get('mintmark_start_queue_requests{kind="probe"}') ?? -1) >= 0)
  const gone = [...before.keys(), ...first.keys()].filter(name => !second.has(name))
  assert.deepEqual(gone, [])
})
