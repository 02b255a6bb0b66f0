// Causes each alert of deploy/prometheus once, on a service of its own that a real Prometheus scrapes, and says how soon it fired.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CANNOT_RUN, conclude, performAll, print } from '../drill.ts'
import { DATABASE_CAUSES } from './causes-database.ts'
import { type Cause, SERVICE_CAUSES } from './causes-service.ts'
import { STORE_CAUSES } from './causes-store.ts'
import { type FiringAlert, type Prometheus, startPrometheus } from './prometheus.ts'
import { alertNames, readShortRules } from './short-rules.ts'

const CAUSES = [...SERVICE_CAUSES, ...STORE_CAUSES, ...DATABASE_CAUSES]
/** A service lives for five minutes at most. */
const SECONDS_MAX = 200

/** Of all instances where the alert is about the job. */
const isOf = ({ labels, state }: FiringAlert, alert: string, instance: string): boolean =>
  state === 'firing' && labels['alertname'] === alert && (labels['instance'] ?? instance) === instance

const show = ({ labels, annotations }: FiringAlert): string => {
  const { alertname: _name, instance: _instance, job: _job, ...shown } = labels
  return `${annotations['summary']} ${JSON.stringify(shown)}`
}

const untilFiring = async (prometheus: Prometheus, alert: string, instance: string): Promise<string | undefined> => {
  const began = performance.now()
  for (;;) {
    const found = (await prometheus.alerts()).find(one => isOf(one, alert, instance))
    const seconds = (performance.now() - began) / 1000
    if (found !== undefined) return `${alert} fired after ${seconds.toFixed(0)} s: ${show(found)}`
    if (seconds > SECONDS_MAX) return undefined
    await delay(250)
  }
}

const watchOne = async (prometheus: Prometheus, cause: Cause, violations: string[]): Promise<void> => {
  const [instance = ''] = cause.alerts
  await using ending = new AsyncDisposableStack()
  const stopping = new AbortController()
  const causing = {
    scope: { after: (work: () => unknown) => ending.defer(async () => void (await work())) },
    signal: stopping.signal,
  }
  ending.defer(() => stopping.abort())
  const service = await cause.start(causing)
  prometheus.watch({ name: instance, port: service.metricsPort })
  while ((await prometheus.query(`up{instance="${instance}"}`)) !== 1) await delay(250)
  await cause.after?.(service, causing)
  for (const alert of cause.alerts) {
    const seen = await untilFiring(prometheus, alert, instance)
    print(seen ?? `${alert} did not fire`)
    if (seen === undefined) violations.push(`${alert} did not fire within ${SECONDS_MAX} s.`)
  }
  const scrape = await prometheus.query(`max_over_time(scrape_duration_seconds{instance="${instance}"}[5m])`)
  print(`  the slowest scrape took ${((scrape ?? Number.NaN) * 1000).toFixed(0)} ms`)
  stopping.abort()
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !alertNames().includes(name))
const violations = alertNames()
  .filter(name => !CAUSES.some(({ alerts }) => alerts.includes(name)))
  .map(name => `${name} is caused by nothing.`)
if (unknown.length > 0) violations.push(`No alert is named ${unknown.join(', ')}.`)
let done = 0

await performAll(violations, async started => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-alerts-'))
  started.defer(() => rmSync(folder, { recursive: true, force: true }))
  const prometheus = await startPrometheus(folder, readShortRules(), started)
  if (prometheus === undefined) {
    print('This machine has no prometheus.')
    process.exit(CANNOT_RUN)
  }
  for (const cause of CAUSES) {
    if (wanted.length > 0 && !cause.alerts.some(alert => wanted.includes(alert))) continue
    await watchOne(prometheus, cause, violations).catch((fault: unknown) => {
      violations.push(`${cause.alerts.join(', ')}: ${String(fault)}`)
    })
    done += cause.alerts.length
  }
})
conclude(violations, `${done} alerts caused`)
