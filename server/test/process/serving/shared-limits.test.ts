// Limits that the serving threads of a process share: how many failures, and how many connections, whichever threads they meet.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { connectionsThatFit, openFilesMax } from '../../../src/compose/limits.ts'
import { readToEnd, statusesIn } from '../../../../testkit/callers/raw-connection.ts'
import { serveHere } from '../../../../testkit/services/serve-here.ts'

const OPTIONS = { timeout: 300_000 }
// Where a port cannot be shared there is one.
const THREADS = process.platform === 'linux' ? 3 : 1

const startThree = (t: TestContext) =>
  serveHere(t, {
    variables: {
      MINTMARK_WORKERS: String(THREADS),
      MINTMARK_FAILED_AUTH_PER_CLIENT: '20',
      MINTMARK_CONNECTIONS_MAX: '60',
    },
  })

const open = (port: number): Socket => connect({ host: '127.0.0.1', port }).on('error', () => undefined)

const BODY = 'grant_type=client_credentials&client_id=nobody&client_secret=wrong'
const FORM = 'Content-Type: application/x-www-form-urlencoded'

/** The status that a wrong secret gets, on a connection of its own. */
const fail = async (port: number): Promise<number | undefined> => {
  const socket = open(port)
  const head = ['POST /oauth/token HTTP/1.1', 'Host: a', 'Connection: close', FORM, `Content-Length: ${BODY.length}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n${BODY}`)
  return statusesIn(await readToEnd(socket))[0]
}

/** A connection that was answered and stays open; undefined if it was refused. */
const openServed = (port: number): Promise<Socket | undefined> => {
  const socket = open(port)
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  return new Promise(resolve => {
    socket.once('data', () => resolve(socket)).once('close', () => resolve(undefined))
  })
}

const openMany = async (port: number, count: number): Promise<readonly Socket[]> => {
  const asked = await Promise.all(Array.from({ length: count }, () => openServed(port)))
  return asked.filter(socket => socket !== undefined)
}

test('threads share the limit of failures, whichever of them a connection meets', OPTIONS, async t => {
  const { port } = await startThree(t)
  const statuses = await Promise.all(Array.from({ length: 40 }, () => fail(port)))
  const failures = statuses.filter(status => status === 401).length
  // One more every 3 s is within the limit.
  assert.ok(failures >= 20 && failures < 30, `${failures} of 40`)
  assert.deepEqual(new Set(statuses), new Set([401, 429]))
})

test('threads share the bound of connections, and one that ended holds none', OPTIONS, async t => {
  const { port, workers } = await startThree(t)
  const opened = await openMany(port, 100)
  // Of 60 six are kept for addresses with few; threads that accept at the same time may refuse one too many.
  assert.ok(opened.length <= 54 && opened.length > 30, `${opened.length} of 100`)
  const [first] = workers
  assert.ok(first)
  const replaced = once(process, 'worker')
  await first.terminate()
  const [second] = (await replaced) as [Worker]
  await once(second, 'online')
  let all = opened
  while (all.length === opened.length) {
    await nextTurn()
    all = opened.filter(socket => !socket.destroyed)
  }
  while (all.length < 54) all = [...all, ...(await openMany(port, 54 - all.length))]
  assert.equal((await openMany(port, 10)).length, 0)
  for (const socket of all) socket.destroy()
})

test('fewer connections fit where a process may open few files', () => {
  assert.equal(connectionsThatFit(10_000, 1_048_576), 10_000)
  assert.equal(connectionsThatFit(10_000, 10_256), 10_000)
  assert.equal(connectionsThatFit(10_000, 10_255), 9999)
  assert.equal(connectionsThatFit(10_000, 1024), 768)
  assert.equal(connectionsThatFit(10_000, 256), 128)
  assert.equal(connectionsThatFit(100, Number.POSITIVE_INFINITY), 100)
})

test('where /proc is not mounted as many connections fit as are configured', () => {
  assert.equal(connectionsThatFit(10_000, openFilesMax('/nowhere/self/limits')), 10_000)
})
