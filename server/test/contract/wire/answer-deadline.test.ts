// No answer comes later than its deadline, whatever a request waits for: here for the response before it, and then for a store
// that hangs. The clock that deadlines are read by is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { openConnection, readToEnd, statusesIn } from '../../../../testkit/callers/raw-connection.ts'
import { get, issue } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, IN_TIME, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

/** A service whose /readyz waits for the test, and whose agents are never found once it `hangs`. */
const startHanging = async (t: TestContext) => {
  const [ready, asked] = [Promise.withResolvers<null>(), Promise.withResolvers<void>()]
  const arrived = Promise.withResolvers<void>()
  const state = { now: 0, hangs: false }
  const service = await startServer({
    timing: IN_TIME,
    break: ports => ({
      ...ports,
      // The store has a clock of its own.
      monotonic: () => (state.hangs ? state.now : monotonicMs()),
      health: {
        ...ports.health,
        check: () => {
          arrived.resolve()
          return ready.promise
        },
      },
      agents: {
        ...ports.agents,
        viewForIssue: (ids, freshness) => {
          if (!state.hangs) return ports.agents.viewForIssue(ids, freshness)
          asked.resolve()
          return new Promise(() => undefined)
        },
      },
    }),
  })
  t.after(() => service.close())
  /** From here on the clock stands still, too. */
  const hang = () => Object.assign(state, { hangs: true, now: Math.ceil(monotonicMs()) })
  return { service, state, arrived: arrived.promise, asked: asked.promise, hang, beReady: () => ready.resolve(null) }
}

const tokenRequest = ({ origin }: TestServer, { clientId, clientSecret }: AgentOfTest): string => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }).toString()
  return [
    'POST /oauth/token HTTP/1.1',
    `Host: ${new URL(origin).host}`,
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

test('a token request that waited behind another and then for a store that hangs is answered 4.6 s after it was received', async t => {
  const { service, state, hang, arrived, asked, beReady } = await startHanging(t)
  const agent = await service.createAgent()
  await issue(service, agent)
  hang()
  const socket = await openConnection(service)
  socket.write(`GET /readyz HTTP/1.1\r\nHost: ${new URL(service.origin).host}\r\n\r\n${tokenRequest(service, agent)}`)
  const answers = readToEnd(socket)
  await arrived
  state.now += 3000
  beReady()
  await asked
  // Of the whole wait this is the last third, and not 4.6 s by itself.
  state.now += 1600
  const text = await answers
  assert.deepEqual(statusesIn(text), [200, 503])
  assert.match(text, /\r\nretry-after: \d+\r\n/i)
  assert.match(text, /"error":"temporarily_unavailable"/)
})

test('a store that hangs: a request whose body came slowly is answered 4.6 s after its last byte', async t => {
  const { service, state, hang, asked } = await startHanging(t)
  const agent = await service.createAgent()
  await issue(service, agent)
  hang()
  const socket = await openConnection(service)
  const request = tokenRequest(service, agent)
  socket.write(request.slice(0, -1))
  const answers = readToEnd(socket)
  // By then the service has read what was sent.
  for (let n = 0; n < 5; n += 1) await fetch(`${service.origin}/livez`)
  state.now += 20_000
  socket.write(request.slice(-1))
  await asked
  state.now += 4600
  assert.deepEqual(statusesIn(await answers), [503])
})

test('a request of the revocation feed has one deadline for recognizing its caller and for the feed', async t => {
  const asked = Promise.withResolvers<void>()
  const state = { now: 0, hangs: false }
  const service = await startServer({
    timing: IN_TIME,
    break: ports => ({
      ...ports,
      monotonic: () => (state.hangs ? state.now : monotonicMs()),
      apiKeys: {
        ...ports.apiKeys,
        find: async (hashes, freshness) => {
          const found = await ports.apiKeys.find(hashes, freshness)
          state.now += 3000
          return found
        },
      },
      feed: {
        ...ports.feed,
        head: () => {
          asked.resolve()
          return new Promise(() => undefined)
        },
      },
    }),
  })
  t.after(() => service.close())
  const { key } = await service.createApiKey('tokens:introspect')
  Object.assign(state, { hangs: true, now: Math.ceil(monotonicMs()) })
  const answering = get(service, '/oauth/revocation-feed', { 'x-api-key': key })
  await asked.promise
  state.now += 1600
  assert.equal((await answering).status, 503)
})
