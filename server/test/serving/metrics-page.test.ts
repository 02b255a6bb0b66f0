// docs/metrics.md is the page of the table of metrics: it has each metric as the table has it, and no other; and each is recorded somewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METRICS, type MetricKind, type MetricRow } from '../../src/ports/metrics.ts'
import { nothing, readFiles, readText } from '../../../testkit/sources/source-files.ts'

const KINDS: Readonly<Record<MetricKind, string>> = {
  counter: 'counter',
  gauge: 'gauge',
  seconds: 'histogram, s',
  counts: 'histogram',
}

const rows: readonly [string, MetricRow][] = Object.entries(METRICS)

const lineOf = ([name, { kind, labels, help }]: readonly [string, MetricRow]): string => {
  const names = Object.keys(labels).map(label => `\`${label}\``)
  return `| \`${name}\` | ${KINDS[kind]} | ${names.length === 0 ? 'none' : names.join(', ')} | ${help} |`
}

test('docs/metrics.md has every metric of the table in its words and its order, and no other', () => {
  const lines = readText('docs/metrics.md')
    .split('\n')
    .filter(line => line.startsWith('| `mintmark_'))
  assert.deepEqual(lines, rows.map(lineOf))
})

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
