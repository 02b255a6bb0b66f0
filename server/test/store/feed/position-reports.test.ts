// How reports of verifiers gather in the memory of a thread, and what becomes of them when the store is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PositionReport } from '../../../src/domain/clients/verifier.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { makePositionReports } from '../../../src/store/feed/position-reports.ts'
import type { ReportPositions } from '../../../src/store/feed/report-positions.ts'

const WAITING_MAX = 4000
const WAITING_OF_KEY_MAX = 1000

const reportOf = (apiKeyId: string, name: string, more: Partial<PositionReport> = {}): PositionReport => ({
  apiKeyId,
  name,
  address: '192.0.2.7',
  epoch: 'E',
  position: 7,
  uses: null,
  ...more,
})

const numbered = (count: number, prefix = 'v'): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(5, '0')}`)

type Handed = { readonly batches: ReportPositions[]; underWay: number; most: number; release: () => void }

/** A store that takes reports when it is allowed to. */
const makeGathering = (position = 100) => {
  const handed: Handed = { batches: [], underWay: 0, most: 0, release: () => undefined }
  const faults: unknown[] = []
  const failing: { with?: Error } = {}
  let held: Promise<void> = Promise.resolve()
  let now = 0
  const reports = makePositionReports({
    head: () => Promise.resolve({ epoch: 'E', position }),
    handOver: async batch => {
      handed.underWay += 1
      handed.most = Math.max(handed.most, handed.underWay)
      await held
      handed.underWay -= 1
      if (failing.with !== undefined) throw failing.with
      handed.batches.push(batch)
    },
    monotonic: () => now,
    onFault: (_task, fault) => void faults.push(fault),
  })
  const hold = (): void => {
    const waiting = Promise.withResolvers<void>()
    held = waiting.promise
    handed.release = waiting.resolve
  }
  return {
    ...reports,
    handed,
    faults,
    failing,
    hold,
    advance: (ms: number) => {
      now += ms
    },
    positions: () => handed.batches.flatMap(batch => batch.reports.map(one => [one.name, one.position])),
  }
}

test('a hundred reports that come together are one write, and however many come meanwhile wait for one at a time', async () => {
  const gathering = makeGathering()
  for (const name of numbered(100)) gathering.report(reportOf('k', name))
  await gathering.settle()
  assert.deepEqual(
    gathering.handed.batches.map(({ reports }) => reports.length),
    [100],
  )
  gathering.hold()
  for (let n = 0; n < 20; n += 1) {
    gathering.report(reportOf('k', 'one', { position: n }))
    await new Promise(setImmediate)
  }
  gathering.handed.release()
  await gathering.settle()
  assert.equal(gathering.handed.most, 1)
  assert.deepEqual(gathering.positions().slice(100), [
    ['one', 0],
    ['one', 19],
  ])
})

test('of what waits the greater position stays, the last uses, and the present epoch', async () => {
  const gathering = makeGathering()
  const uses = [{ agent_id: 'a', count: 1 }]
  gathering.report(reportOf('k', 'one', { position: 9, uses }))
  gathering.report(reportOf('k', 'one', { position: 8 }))
  gathering.report(reportOf('k', 'one', { position: 50, epoch: 'before' }))
  gathering.report(reportOf('k', 'two', { position: 50, epoch: 'before' }))
  gathering.report(reportOf('k', 'two', { position: 3 }))
  await gathering.settle()
  assert.deepEqual(gathering.handed.batches, [
    {
      epoch: 'E',
      reports: [
        { ...reportOf('k', 'one', { position: 9, uses }), waitedMs: 0 },
        { ...reportOf('k', 'two', { position: 3 }), waitedMs: 0 },
      ],
    },
  ])
})

test('what the store could not take waits for the next report, is as old as it is, and gives way to what is newer', async () => {
  const gathering = makeGathering()
  gathering.failing.with = new Unavailable('The disk is full.')
  for (const name of ['one', 'two']) gathering.report(reportOf('k', name, { position: 1 }))
  await gathering.settle()
  assert.deepEqual([gathering.handed.batches, gathering.faults], [[], []])
  gathering.advance(12_000)
  delete gathering.failing.with
  gathering.report(reportOf('k', 'two', { position: 2 }))
  await gathering.settle()
  assert.deepEqual(
    gathering.handed.batches.flatMap(({ reports }) => reports.map(one => [one.name, one.position, one.waitedMs])),
    [
      ['one', 1, 12_000],
      ['two', 2, 0],
    ],
  )
})

test('a fault of the write is reported, costs the reports of that write alone, and ends nothing', async () => {
  const gathering = makeGathering()
  gathering.failing.with = new TypeError('a bug')
  gathering.report(reportOf('k', 'one'))
  await gathering.settle()
  assert.match(String(gathering.faults), /a bug/)
  delete gathering.failing.with
  gathering.report(reportOf('k', 'two'))
  await gathering.settle()
  assert.deepEqual(gathering.positions(), [['two', 7]])
})

test('a flood of names drops those of the same API key that wait longest, then those of all, and says so', async () => {
  const gathering = makeGathering()
  gathering.report(reportOf('quiet', 'bystander'))
  for (const name of numbered(WAITING_OF_KEY_MAX + 1)) gathering.report(reportOf('flood', name))
  await gathering.settle()
  const names = gathering.positions().map(([name]) => name)
  assert.deepEqual(names, ['bystander', ...numbered(WAITING_OF_KEY_MAX + 1).slice(1)])
  assert.match(String(gathering.faults), /^Error: 1 reports were dropped/)
  const keys = WAITING_MAX / WAITING_OF_KEY_MAX
  const crowded = makeGathering()
  for (let key = 0; key < keys; key += 1) {
    for (const name of numbered(WAITING_OF_KEY_MAX)) crowded.report(reportOf(`flood ${key}`, name))
  }
  crowded.report(reportOf('quiet', 'bystander'))
  await crowded.settle()
  assert.equal(crowded.positions().length, WAITING_MAX)
  assert.deepEqual(crowded.positions().at(-1), ['bystander', 7])
  assert.match(String(crowded.faults), /^Error: 1 reports were dropped/)
})
