// The expositions: what a scraper reads is what was observed, in each format.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findProgram } from '../../../../testkit/processes/find-program.ts'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { makeProcessMetrics } from '../../../src/metrics/process-metrics.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import { formatText } from '../../../src/metrics/text-format.ts'

const LISTS = { operations: ['issueToken'], codes: ['invalid_client'], tasks: ['retention'] }
const LAYOUT = makeLayout(LISTS)

const SECONDS = [0, 0.000_001, 0.0009, 0.001, 0.0011, 0.25, 0.25, 3, 500]

const observed = () => {
  const slab = makeSlab(LAYOUT)
  const metrics = openRecorder({ lists: LISTS, slab })
  for (const value of SECONDS) metrics.observe('mintmark_request_seconds', { operation: 'issueToken' }, value)
  for (const value of [1, 1, 2, 200]) metrics.observe('mintmark_group_requests', { group: 'issue' }, value)
  metrics.add('mintmark_requests_total', { operation: 'issueToken', outcome: 'success' }, 9)
  metrics.set('mintmark_connections', {}, 4)
  return readMemory(LAYOUT, [slab])
}

const sum = SECONDS.reduce((total, value) => total + value, 0)

test('the text format has cumulative buckets that end with the count', async () => {
  const { contentType, body } = await formatText(observed(), 'text/plain')
  assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8')
  const lines = body.toString().split('\n')
  const at = (line: string): void => assert.ok(lines.includes(line), `${line} is not in\n${body.toString()}`)
  at('# TYPE mintmark_requests_total counter')
  at('mintmark_requests_total{operation="issueToken",outcome="success"} 9')
  at('mintmark_connections 4')
  at('# TYPE mintmark_request_seconds histogram')
  for (const bound of [0.001953125, 0.25, 0.5, 4, 16]) {
    const count = SECONDS.filter(value => value <= bound).length
    at(`mintmark_request_seconds_bucket{operation="issueToken",le="${bound < 1 ? bound : bound.toFixed(1)}"} ${count}`)
  }
  at(`mintmark_request_seconds_bucket{operation="issueToken",le="+Inf"} ${SECONDS.length}`)
  at(`mintmark_request_seconds_count{operation="issueToken"} ${SECONDS.length}`)
  at(`mintmark_request_seconds_sum{operation="issueToken"} ${sum}`)
  at('mintmark_group_requests_bucket{group="issue",le="1.0"} 2')
  at('mintmark_group_requests_bucket{group="issue",le="2.0"} 3')
  at('mintmark_group_requests_bucket{group="issue",le="128.0"} 3')
  at('mintmark_group_requests_bucket{group="issue",le="256.0"} 4')
})

test('OpenMetrics names the family of a counter without _total, and the next text answer is whole again', async () => {
  const families = observed()
  const { contentType, body } = await formatText(families, 'application/openmetrics-text')
  assert.equal(contentType, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  const text = body.toString()
  assert.match(text, /^# TYPE mintmark_requests counter$/m)
  assert.match(text, /^mintmark_requests_total\{operation="issueToken",outcome="success"\} 9$/m)
  assert.match(text, /\n# EOF\n$/)
  const again = await formatText(families, 'text/plain')
  assert.match(again.body.toString(), /^# TYPE mintmark_requests_total counter$/m)
})

test('the metrics of the process are of the whole process', async () => {
  const names = (await makeProcessMetrics()()).map(({ name }) => name)
  assert.ok(names.includes('process_cpu_seconds_total') && names.includes('process_start_time_seconds'))
  assert.deepEqual(
    names.filter(name => !/^process_|^nodejs_version_info$/.test(name)),
    [],
  )
})

const promtool = findProgram('promtool')

test('promtool finds nothing wrong', {
  skip: promtool === undefined ? 'there is no promtool here' : false,
}, async () => {
  const { body } = await formatText([...observed(), ...(await makeProcessMetrics()())], 'text/plain')
  const { status, stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], { input: body, encoding: 'utf8' })
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})
