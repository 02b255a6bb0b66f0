// What deploy/prometheus and deploy/grafana watch exists: every metric, label and value that a rule or a panel names is one of
// the service, each alert has a unit test and a section of the runbook, and promtool accepts all of it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { OPERATIONS } from '../../../api/operations.ts'
import { ROWS } from '../../../deploy/grafana/panels.ts'
import { findUnknown, type KnownMetrics, readQuery } from '../../../testkit/sources/metric-queries.ts'
import { nothing, readText, REPOSITORY } from '../../../testkit/sources/source-files.ts'
import { findProgram } from '../../../testkit/processes/find-program.ts'
import { SERVING_TASKS } from '../../src/compose/log.ts'
import { ERRORS } from '../../src/http/wire/error-reference.ts'
import { makeProcessMetrics } from '../../src/metrics/process-metrics.ts'
import { METRICS, type MetricRow } from '../../src/ports/metrics.ts'
import { BACKGROUND_TASKS } from '../../src/store/background.ts'

const RULES = 'deploy/prometheus/mintmark.rules.yaml'
const UNIT_TESTS = 'deploy/prometheus/mintmark.rules.test.yaml'

type Alert = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const alerts = (
  parse(readText(RULES)) as { readonly groups: readonly { readonly rules: readonly Alert[] }[] }
).groups.flatMap(({ rules }) => rules)

const OPEN_LISTS = {
  operations: [...OPERATIONS.map(({ id }) => id), 'other'],
  codes: Object.keys(ERRORS),
  tasks: [...BACKGROUND_TASKS, ...SERVING_TASKS],
}

type Names = readonly (readonly [string, Readonly<Record<string, readonly string[] | null>>])[]

const namesOf = (name: string, { kind, labels }: MetricRow): Names => {
  const values = Object.fromEntries(
    Object.entries(labels).map(([label, list]) => [label, typeof list === 'string' ? OPEN_LISTS[list] : list]),
  )
  if (kind === 'counter' || kind === 'gauge') return [[name, values]]
  return [
    [`${name}_bucket`, { ...values, le: null }],
    [`${name}_sum`, values],
    [`${name}_count`, values],
  ]
}

const known: KnownMetrics = new Map([
  ...Object.entries<MetricRow>(METRICS).flatMap(([name, row]) => namesOf(name, row)),
  ...(await makeProcessMetrics()()).map(({ name }) => [name, {}] as const),
  ['up', {}],
])

test('every metric, label and value that an alert names exists', () => {
  nothing(
    alerts.flatMap(({ alert, expr }) => findUnknown(expr, known).map(wrong => `${alert}: ${wrong}`)),
    'ports/metrics.ts has the metrics.',
  )
})

test('a query that names what does not exist is found out, whichever part of it that is', () => {
  const wrong = [
    ['rate(mintmark_requests[5m])', 'mintmark_requests is no metric'],
    ['mintmark_commit_seconds', 'mintmark_commit_seconds is no metric'],
    ['up{job="mintmark",color="red"}', 'up has no label color'],
    [
      'rate(mintmark_requests_total{outcome=~"fault|failure"}[5m]) > 0',
      'outcome of mintmark_requests_total is never failure',
    ],
    ['sum by (instance, pool) (mintmark_connections)', 'no metric has the label pool'],
    ['1 > bool 0', 'no metric is named'],
  ]
  for (const [query = '', expected] of wrong) assert.deepEqual(findUnknown(query, known), [expected])
  assert.deepEqual(
    readQuery('a{b="c"} unless ignoring (d) increase(e_total[5m] offset 1d) > $__range').metrics.map(
      ({ name }) => name,
    ),
    ['a', 'e_total'],
  )
})

test('every alert has a severity, a section of the runbook, and a unit test; nothing else has', () => {
  const names = alerts.map(({ alert }) => alert)
  assert.equal(new Set(names).size, names.length)
  for (const { alert, labels, annotations } of alerts) {
    assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert)
    assert.equal(annotations.runbook, `docs/run/runbook.md#${alert.toLowerCase()}`)
    assert.match(annotations.summary, /\.$/)
  }
  const sections = [...readText('docs/run/runbook.md').matchAll(/^### (Mintmark\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(sections, names)
  const { tests } = parse(readText(UNIT_TESTS)) as { readonly tests: readonly { readonly name: string }[] }
  assert.deepEqual([...new Set(tests.map(({ name }) => name.replace(/,.*/, '')))], names)
})

test('every metric, label and value that a panel of the dashboard names exists', () => {
  const wrong = ROWS.flatMap(({ panels }) => panels).flatMap(({ title, queries }) =>
    queries.flatMap(([expression]) => findUnknown(expression, known).map(each => `${title}: ${each}`)),
  )
  nothing(wrong, 'ports/metrics.ts has the metrics.')
})

test('the dashboard begins with an overview, has a row for each subsystem, and shows every metric of the service', () => {
  assert.deepEqual([ROWS[0]?.title, ROWS.length > 5], ['Overview', true])
  const shown = ROWS.flatMap(({ panels }) => panels)
    .flatMap(({ queries }) => queries.flatMap(([expression]) => readQuery(expression).metrics))
    .map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''))
  nothing(
    Object.keys(METRICS).filter(name => !shown.includes(name)),
    'Show it in deploy/grafana/panels.ts.',
  )
})

const PROMTOOL = findProgram('promtool')

/** A test that needs promtool. Where there is none it says so by its name. */
const testPromtool = (title: string, work: (promtool: string) => void): void => {
  const absent = `${title}: not checked, for promtool is not there`
  void (PROMTOOL === undefined ? test(absent, () => undefined) : test(title, () => work(PROMTOOL)))
}

testPromtool('promtool accepts the rules, and their unit tests pass', promtool => {
  for (const [command, file] of [
    ['check', RULES],
    ['test', UNIT_TESTS],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(promtool, [command, 'rules', join(REPOSITORY, file)], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${stdout}${stderr}`)
  }
})
