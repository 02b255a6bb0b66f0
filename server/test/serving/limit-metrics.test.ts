// What limits of work turn away, and what waits for them, is counted under the words of docs/reference/metrics.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Unavailable, WORK_LIMITS } from '../../src/domain/refusal.ts'
import { makeForeignHashCheck } from '../../src/keys/clients/check-foreign-hash.ts'
import { makeVerificationQueue } from '../../src/keys/providers/verification-queue.ts'
import { makeLayout } from '../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../src/metrics/memory.ts'
import { readMemory } from '../../src/metrics/read-memory.ts'
import { askToken } from '../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const makeMemory = () => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  /** How often each limit turned something away; those that did not are left out. */
  const readLimits = () =>
    Object.fromEntries(
      (readMemory(layout, [slab]).find(({ name }) => name === 'mintmark_limits_reached_total')?.series ?? [])
        .map(({ labels, value }): [string, unknown] => [String(labels['limit']), value])
        .filter(([, value]) => value !== 0),
    )
  return { metrics: openRecorder({ lists, slab }), readLimits }
}

const serve = async (insert: 'as ever' | 'no room'): Promise<TestServer & ReturnType<typeof makeMemory>> => {
  const memory = makeMemory()
  const service = await startServer({
    server: { metrics: memory.metrics },
    break: ports =>
      insert === 'as ever'
        ? ports
        : {
            ...ports,
            ledger: {
              ...ports.ledger,
              insert: () => Promise.reject(new Unavailable('no room', { limit: 'ledger_names' })),
            },
          },
  })
  return { ...service, ...memory }
}

test('a token beyond the limit of its agent is counted, and one within it is not', async t => {
  const service = await serve('as ever')
  t.after(() => service.close())
  const agent = await service.createAgent({ tokensPerMinute: 1 })
  assert.equal((await askToken(service, agent)).status, 200)
  assert.deepEqual(service.readLimits(), {})
  assert.equal((await askToken(service, agent)).status, 429)
  assert.deepEqual(service.readLimits(), { agent_tokens: 1 })
})

test('a limit that the store met is counted where the request is answered', async t => {
  const service = await serve('no room')
  t.after(() => service.close())
  assert.equal((await askToken(service, await service.createAgent())).status, 503)
  assert.deepEqual(service.readLimits(), { ledger_names: 1 })
})

test('every limit of work is named where something is turned away', () => {
  const sources = readFiles('server/src/**/*.ts').filter(
    ({ path }) => !/\/domain\/refusal(?:-reasons)?\.ts$/.test(path),
  )
  nothing(
    WORK_LIMITS.filter(limit => !sources.some(({ text }) => text.includes(`'${limit}'`))),
    'Name it in the refusal of that limit, or remove it from WORK_LIMITS.',
  )
})

const recordWaits = () => {
  const [counts, waits]: [number[], number[]] = [[], []]
  const onWaiting = (count: number) => void counts.push(count)
  return { counts, waits, recorder: { onWaiting, onWaited: (milliseconds: number) => void waits.push(milliseconds) } }
}

test('signatures that wait are counted up, and down to none, and how long each waited is measured', async () => {
  const { counts, waits, recorder } = recordWaits()
  const first = Promise.withResolvers<boolean>()
  const queue = makeVerificationQueue({ atOnceMax: 1, waitingMax: 2 }, recorder)
  const verified = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(source => queue(source, () => first.promise))
  await nextTurn()
  assert.deepEqual(counts, [1, 2])
  assert.deepEqual(waits, [], 'What begins at once has not waited.')
  first.resolve(true)
  await Promise.all(verified)
  assert.deepEqual(counts, [1, 2, 1, 0])
  assert.equal(waits.length, 2)
  assert.ok(waits.every(wait => wait > 0))
})

test('imported secrets that are verified or wait are counted up, and down to none, and their waits measured', async () => {
  const { counts, waits, recorder } = recordWaits()
  let now = 1000
  const verify = makeForeignHashCheck({
    timing: TIMING,
    verify: () => {
      now += 40
      return Promise.resolve(0)
    },
    now: () => now,
    waits: recorder,
  })
  const of = (credentialId: string) => {
    const proof = { credentialId, source: '192.0.2.1', foreignHash: `hash of ${credentialId}` }
    return verify({ ...proof, secrets: ['a secret'], until: Number.POSITIVE_INFINITY })
  }
  await Promise.all([of('a'), of('b')])
  assert.deepEqual([Math.max(...counts), counts.at(-1)], [2, 0])
  assert.deepEqual(waits, [0], 'Only the second waited: it arrived after the clock had gone on.')
})
