// The streams of the console: what a page that does not read costs, pages that are closed, and looks at the store that fail.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { ConsoleSubject } from '../../../api/values/console-events.ts'
import { isRefused } from '../../src/domain/refusal.ts'
import { makeConsoleStreams } from '../../src/http/console/console-streams.ts'
import { makeListener } from '../../src/http/wire/connections/listener.ts'
import type { StayLimits } from '../../src/http/wire/streams/stay-limit.ts'
import type { ConsoleNews, Sessions } from '../../src/ports/sessions.ts'
import { TIMING, type Timing } from '../../src/ports/timing.ts'
import { until } from '../../../testkit/processes/until.ts'

const VERSIONS = { tokens: '0', history: '0', audit: '0' }

/** A store in which a test changes something. */
const makeSessions = () => {
  let versions: ConsoleNews['versions'] = VERSIONS
  let fault: Error | undefined
  let looks = 0
  const going = new Set(['one', 'two'])
  const readNews: Sessions['readNews'] = async ids => {
    looks += 1
    if (fault !== undefined) throw fault
    const sessions = new Map(ids.filter(id => going.has(id)).map(id => [id, 1] as const))
    return { versions, sessions, now: 0 }
  }
  return {
    port: { readNews } as Sessions, // nothing else is asked
    change: (subject: ConsoleSubject): void => {
      versions = { ...versions, [subject]: `${versions[subject]}'` }
    },
    fail: (one: Error | undefined): void => {
      fault = one
    },
    endSession: (id: string): void => void going.delete(id),
    looks: () => looks,
  }
}

type World = {
  readonly sessions: ReturnType<typeof makeSessions>
  readonly streams: ReturnType<typeof makeConsoleStreams>
  readonly faults: unknown[]
  readonly responses: readonly ServerResponse[]
  readonly connect: (sessionId?: string) => Promise<IncomingMessage>
}

type Given = {
  readonly begin?: (response: ServerResponse) => void
  readonly timing?: Partial<Timing>
  readonly limits?: StayLimits
}

const startWorld = async (
  t: TestContext,
  { begin = () => undefined, timing, ...limits }: Given = {},
): Promise<World> => {
  const sessions = makeSessions()
  const faults: unknown[] = []
  const responses: ServerResponse[] = []
  const streams = makeConsoleStreams({
    ports: {
      monotonic: () => performance.now(),
      sessions: sessions.port,
      timing: { ...TIMING, consolePollMs: 5, ...timing },
    },
    inTime: work => work,
    mayStay: () => true,
    onFault: fault => void faults.push(fault),
    ...limits,
  })
  const answer: RequestListener = (request, response) => {
    const arrival = { sessionId: request.url?.slice(1) ?? '', expiresAt: 1, operator: 'ada', response }
    const entered = streams.open(arrival, () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      responses.push(response)
      begin(response)
    })
    if (isRefused(entered)) response.writeHead(503).end()
  }
  const server = makeListener(answer, { timing: TIMING }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    streams.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connect = async (sessionId = 'one'): Promise<IncomingMessage> => {
    const request = get({ host: '127.0.0.1', port, path: `/${sessionId}`, agent: false })
    request.on('error', () => undefined)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response.on('error', () => undefined)
  }
  return { sessions, streams, faults, responses, connect }
}

/** What is read until the text is there, or the stream ends. */
const readUntil = async (stream: IncomingMessage, end: string): Promise<string> => {
  let text = ''
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    text += String(bytes)
    if (text.endsWith(end)) break
  }
  return text
}

test('a stream reports which subjects changed, and nothing while none did', async t => {
  const { sessions, connect } = await startWorld(t)
  const stream = await connect()
  await until('it was looked twice', async () => sessions.looks() > 2)
  sessions.change('tokens')
  sessions.change('audit')
  assert.equal(await readUntil(stream, '\n\n'), 'event: changed\ndata: ["tokens","audit"]\n\n')
  sessions.change('history')
  assert.equal(await readUntil(stream, '\n\n'), 'event: changed\ndata: ["history"]\n\n')
})

test('of two streams that of the ended session hears so and ends, the other goes on', async t => {
  const { sessions, connect } = await startWorld(t, { timing: { consoleStreamMs: 3000 } })
  const [one, two] = [await connect('one'), await connect('two')]
  sessions.endSession('one')
  assert.equal(await readUntil(one, 'never'), 'event: signed_out\ndata: {}\n\n')
  sessions.change('tokens')
  assert.equal(await readUntil(two, '\n\n'), 'event: changed\ndata: ["tokens"]\n\n')
})

test('a look that fails is reported, ends no stream, and what changed meanwhile is made up for', async t => {
  const { sessions, faults, connect } = await startWorld(t)
  const stream = await connect()
  await until('it was looked twice', async () => sessions.looks() > 2)
  const fault = new Error('seeded')
  sessions.fail(fault)
  await until('two looks failed', async () => faults.length >= 2)
  assert.ok(faults.every(one => one === fault))
  sessions.change('audit')
  sessions.fail(undefined)
  assert.equal(await readUntil(stream, '\n\n'), 'event: changed\ndata: ["audit"]\n\n')
})

test('a stream ends in its time, also while no look succeeds, and nobody looks once all have gone', async t => {
  const { sessions, connect } = await startWorld(t, { timing: { consoleStreamMs: 30 } })
  sessions.fail(new Error('seeded'))
  assert.equal(await readUntil(await connect(), 'never'), '')
  const reset = await connect()
  reset.destroy()
  let before = -1
  await until('nobody looks any more', async () => {
    const isSame = sessions.looks() === before
    before = sessions.looks()
    return isSame
  })
})

test('a page that reads nothing is cut off, and until then no event is kept for it', async t => {
  const begin = (response: ServerResponse): void => void response.write(Buffer.alloc(32_000_000))
  const { sessions, responses, connect } = await startWorld(t, { begin, timing: { consoleUnreadMs: 50 } })
  const stream = await connect()
  stream.pause()
  const [response] = responses
  assert.ok(response !== undefined)
  const waiting = response.writableLength
  assert.ok(waiting > 0)
  for (let n = 0; n < 10; n += 1) sessions.change('tokens')
  await until('the connection is closed', async () => response.destroyed)
  assert.ok(response.writableLength <= waiting)
})

test('a page that is closed gives the place back within a few looks, and after the end of the server nobody is let in', async t => {
  const limits = { all: 1, ofOne: 1, reserved: 0, few: 1 }
  const { streams, connect } = await startWorld(t, { limits })
  const first = await connect()
  assert.equal((await connect()).statusCode, 503)
  first.destroy()
  await until('there is room', async () => (await connect()).statusCode === 200)
  streams.close()
  assert.equal((await connect()).statusCode, 503)
})
