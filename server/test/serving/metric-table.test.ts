// What holds for every metric of the table, and that each is recorded somewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METRICS, type MetricRow } from '../../src/ports/metrics.ts'
import { nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const rows: readonly [string, MetricRow][] = Object.entries(METRICS)

test('the name of a metric ends in its unit: _total of a counter, _seconds of a duration', () => {
  const wrong = rows.filter(
    ([name, { kind }]) =>
      name.endsWith('_total') !== (kind === 'counter') || (kind === 'seconds' && !name.endsWith('_seconds')),
  )
  nothing(
    wrong.map(([name]) => name),
    'See https://prometheus.io/docs/practices/naming/.',
  )
  nothing(
    rows.filter(([name]) => !/^mintmark_[a-z0-9_]+$/.test(name)).map(([name]) => name),
    'Lower case, and our own prefix.',
  )
})

test('every metric is recorded somewhere', () => {
  const sources = readFiles('server/src/**/*.ts').filter(({ path }) => path !== 'server/src/ports/metrics.ts')
  const idle = rows.map(([name]) => name).filter(name => !sources.some(({ text }) => text.includes(`'${name}'`)))
  nothing(idle, 'Record it, or remove it from the table.')
})

test('no label is of a kind whose values are ids, addresses or names', () => {
  const labels = new Set(rows.flatMap(([, row]) => Object.keys(row.labels)))
  const known = [
    'operation',
    'outcome',
    'code',
    'kind',
    'call',
    'limit',
    'result',
    'group',
    'thread',
    'of',
    'task',
    'reason',
    'state',
    'pool',
    'work',
  ]
  assert.deepEqual([...labels].toSorted(), known.toSorted(), 'A new label: does a closed list hold all of its values?')
})
