// More token requests than the service takes: refused at once, while revocation and introspection go on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/store/sqlite/connection/database.ts'
import { monotonicMs } from '../../../src/store/clocks.ts'
import { askToken, assertError, introspect, issue, revoke, sendBytes } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import { openBeside } from '../../../../testkit/stores/store-file.ts'

const ISSUES_MAX = 2048
/** Of each a flood of its own, together more than the service takes. */
const FLOODS = 24
const CONNECTIONS_EACH = 100
const REVOCATIONS = 8

/** A request that is not refused where it should be must turn the test red, not leave it waiting. */
const WAITING = { timeout: 120_000 }

/** So many token requests are sent before the next ones, which wait until those are at the writing thread. */
const SENT_TOGETHER = 128

/** How a slow machine runs is not what is tested here: to the service time passes so many times slower, and store deadlines are far. */
const SLOWER = 1000
const PATIENT_MS = 600_000

const makeSlowClock = () => {
  const began = monotonicMs()
  return () => began + PATIENT_MS + (monotonicMs() - began) / SLOWER
}

type Full = { readonly wanted: number; readonly resolve: () => void }

/** A service that counts what it does for token requests; `written` waits until so many are at the writing thread. */
const makeWorld = async (t: TestContext) => {
  const done = { inserts: 0, lookups: 0 }
  let full: Full | undefined
  const service = await startServer({
    timing: { storeMs: PATIENT_MS },
    // This thread holds the lock itself.
    writer: 'thread',
    break: ({ ledger, agents, ...ports }) => ({
      ...ports,
      ledger: {
        ...ledger,
        insert: (tokens, until) => {
          done.inserts += tokens.length
          if (full !== undefined && done.inserts >= full.wanted) full.resolve()
          return ledger.insert(tokens, until)
        },
      },
      agents: {
        ...agents,
        viewForIssue: (ids, freshness) => {
          done.lookups += 1
          return agents.viewForIssue(ids, freshness)
        },
      },
      monotonic: makeSlowClock(),
    }),
  })
  const locks: Database[] = []
  t.after(async () => {
    // A token request that waits for the lock keeps the service from closing.
    for (const lock of locks) lock.close()
    await service.close()
  })
  /** Takes the write lock, as another process might; a token request then waits in the writing thread. */
  const holdLock = () => {
    const other = openBeside(service.storeFile)
    locks.push(other)
    other.exec('begin immediate')
    return () => other.exec('rollback')
  }
  const { key } = await service.createApiKey('tokens:introspect')
  const written = (count: number): Promise<void> =>
    new Promise(resolve => {
      full = { wanted: done.inserts + count, resolve }
    })
  return { service, agent: await service.createAgent(), key, done, written, holdLock }
}

const tokenRequest = (agent: AgentOfTest, connection: 'close' | 'keep-alive'): string => {
  const fields = { grant_type: 'client_credentials', client_id: agent.clientId, client_secret: agent.clientSecret }
  const body = new URLSearchParams(fields).toString()
  const head = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: ${body.length}\r\n`
  return `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
}

/** Sends so many token requests at once, each on a connection of its own; the status of each. */
const askMany = async (service: TestServer, agent: AgentOfTest, count: number): Promise<readonly string[]> => {
  const request = tokenRequest(agent, 'close')
  const answers = await Promise.all(Array.from({ length: count }, () => sendBytes(service, request)))
  return answers.map(text => /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? text)
}

const isAlive = async (socket: Socket): Promise<Socket> => {
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
  return socket
}

/** A connection whose token request is refused for want of room is not read for a while; another one is. */
const assertRests = async (t: TestContext, { baseUrl }: TestServer, agent: AgentOfTest): Promise<void> => {
  const [refused, other] = [0, 0].map(() => connect(Number(new URL(baseUrl).port), '127.0.0.1'))
  assert.ok(refused !== undefined && other !== undefined)
  t.after(() => [refused, other].forEach(socket => socket.destroy()))
  refused.write(tokenRequest(agent, 'keep-alive'))
  const [answer] = (await once(refused, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 503 /)
  const resting = isAlive(refused)
  assert.equal(await Promise.race([resting, isAlive(other)]), other)
  await resting
}

test(
  'the queue of token requests is full: 503 at once and for nothing; introspection answers; then all are answered',
  WAITING,
  async t => {
    const { service, agent, key, done, written, holdLock } = await makeWorld(t)
    const token = await issue(service, agent)
    const release = holdLock()
    const asked: Promise<readonly string[]>[] = []
    for (let sent = 0; sent < ISSUES_MAX; sent += SENT_TOGETHER) {
      const arrived = written(SENT_TOGETHER)
      asked.push(askMany(service, agent, SENT_TOGETHER))
      // One that is answered before keeps it from ever being full.
      await Promise.race([arrived, ...asked])
    }
    const before = { ...done }
    for (let n = 0; n < 3; n += 1) {
      const refused = await askToken(service, agent)
      const description = 'More requests of this kind are waiting than are taken: try again.'
      assertError(refused, 503, 'temporarily_unavailable', description)
      assert.equal(refused.headers['retry-after'], '1')
    }
    assert.deepEqual(done, before, 'nothing was looked up, signed or written for them')
    assert.equal(service.log().match(/token requests are refused/g)?.length, 1)
    await assertRests(t, service, agent)
    assert.match((await introspect(service, key, token)).text, /^\{"active":true,/)
    const revoked = revoke(service, token)
    release()
    assert.equal((await revoked).status, 200)
    assert.deepEqual(
      (await Promise.all(asked)).flat(),
      Array.from({ length: ISSUES_MAX }, () => '200'),
    )
    assert.equal((await askToken(service, agent)).status, 200)
  },
)

test('under a flood of token requests every revocation and every introspection succeeds', WAITING, async t => {
  const { service, agent, key, written, holdLock } = await makeWorld(t)
  const tokens: string[] = []
  for (let n = 0; n < REVOCATIONS; n += 1) tokens.push(await issue(service, agent))
  const release = holdLock()
  const full = written(ISSUES_MAX)
  const statuses: string[] = []
  const enough = new AbortController()
  const flood = async (): Promise<void> => {
    while (!enough.signal.aborted) statuses.push(...(await askMany(service, agent, CONNECTIONS_EACH)))
  }
  const flooding = Promise.all(Array.from({ length: FLOODS }, flood))
  await Promise.race([full, flooding])
  assert.equal((await askToken(service, agent)).status, 503)
  release()
  for (const token of tokens) {
    assert.match((await introspect(service, key, token)).text, /^\{"active":true,/)
    assert.equal((await revoke(service, token)).status, 200)
    assert.equal((await introspect(service, key, token)).text, '{"active":false}')
  }
  enough.abort()
  await flooding
  assert.deepEqual(
    [...new Set(statuses)].filter(status => status !== '503'),
    ['200'],
  )
})
