// The metrics of the process, which come from the client library: they cost a thread at rest nothing between two scrapes.
import assert from 'node:assert/strict'
import perfHooks from 'node:perf_hooks'
import { test } from 'node:test'
import { makeProcessMetrics } from '../../src/metrics/process-metrics.ts'

const SELDOM_MS = 60_000

test('no timer of the metrics of the process wakes a thread at rest', async t => {
  const timers = t.mock.method(globalThis, 'setInterval')
  // As the library calls it: by the member of the module.
  const delays = t.mock.method(perfHooks, 'monitorEventLoopDelay')
  const read = makeProcessMetrics()
  const shown = (await read()).map(({ name }) => name)
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_version_info']) {
    assert.ok(shown.includes(name), `${name} is missing.`)
  }
  const periods = timers.mock.calls.map(({ arguments: [, ms] }) => ms ?? 0)
  const resolutions = delays.mock.calls.map(({ arguments: [options] }) => options?.resolution ?? 0)
  assert.deepEqual(
    [...periods, ...resolutions].filter(ms => ms < SELDOM_MS),
    [],
  )
  // A timer beyond what Node takes would run each millisecond.
  assert.ok(periods.every(ms => ms < 2 ** 31))
})
