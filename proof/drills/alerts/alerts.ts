// Causes each alert of deploy/prometheus once, on a service of its own that a real Prometheus scrapes, and says how soon it fired.
import { setTimeout as delay } from 'node:timers/promises'
import { makeBound } from '../../options.ts'
import { CANNOT_RUN, print, readOptions, runDrill } from '../drill.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { DATABASE_CAUSES } from './causes-database.ts'
import { type Cause, SERVICE_CAUSES } from './causes-service.ts'
import { STORE_CAUSES } from './causes-store.ts'
import { type FiringAlert, type Prometheus, startPrometheus } from './prometheus.ts'
import { alertNames, readShortRules } from './short-rules.ts'

const CAUSES = [...SERVICE_CAUSES, ...STORE_CAUSES, ...DATABASE_CAUSES]
/** A service lives for five minutes at most. */
const SECONDS_MAX = 200

/** Whether an alert fires for the instance; an alert about the job is of all instances. */
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

const options = readOptions({ alert: alertNames() })
const isOver = makeBound(options)
const violations = alertNames()
  .filter(name => !CAUSES.some(({ alerts }) => alerts.includes(name)))
  .map(name => `${name} is caused by nothing.`)
const causes = CAUSES.filter(({ alerts }) => options.alert === null || alerts.includes(options.alert))
let done = 0

const perform = async (started: AsyncDisposableStack, folder: DrillFolder): Promise<void> => {
  const prometheus = await startPrometheus(folder.path, readShortRules(), started)
  if (prometheus === undefined) {
    print('This machine has no prometheus.')
    process.exit(CANNOT_RUN)
  }
  for (const cause of causes) {
    if (isOver()) return
    await watchOne(prometheus, cause, violations).catch((fault: unknown) => {
      violations.push(`${cause.alerts.join(', ')}: ${String(fault)}`)
    })
    done += cause.alerts.length
  }
}

await runDrill({ name: 'Alerts', options, violations, perform, summary: () => `${done} alerts caused` })
