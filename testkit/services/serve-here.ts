// A service as `serve` has it, whose main thread is this one: real serving threads and ports, and a store of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { migrateStore } from '../../server/src/compose/administration.ts'
import { openService } from '../../server/src/compose/compose.ts'
import { timingOf } from '../../server/src/compose/timing.ts'
import { readServeConfig } from '../../server/src/config/config.ts'
import type { KeySets } from '../../server/src/ports/key-sets.ts'
import type { Timing } from '../../server/src/ports/timing.ts'
import { makeNotices, type Notices } from '../../server/src/serving/notices.ts'
import { makeServing } from '../../server/src/serving/serving-threads.ts'
import { freePorts, makeFolder, run, type Scope, serveVariables, type Variables } from '../commands/run-mintmark.ts'
import { startIdentityProvider } from '../identity-providers/identity-provider.ts'

type Given = {
  /** The variables besides those that `serve` needs. */
  readonly variables?: Variables
  readonly timing?: Partial<Timing>
  /** Stands between serving threads and the keys that the main thread fetches. */
  readonly between?: (keySets: KeySets) => KeySets
  readonly notices?: Notices
}

/** Threads are replaced at once, and a scrape is answered anew. */
const QUICK: Partial<Timing> = { threadRestartMs: 50, scrapeFreshMs: 0 }

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** All serving threads that this thread starts from now on. */
const watchWorkers = () => {
  const workers: Worker[] = []
  const onWorker = (worker: Worker): void => {
    if (worker.threadName === 'mintmark serving') workers.push(worker)
  }
  process.on('worker', onWorker)
  return { workers, stopWatching: () => process.off('worker', onWorker) }
}

export const serveHere = async (t: Scope, { variables = {}, timing: waits = {}, between, notices }: Given = {}) => {
  const [folder, provider, [port, metricsPort]] = [makeFolder(t), await startIdentityProvider(), await freePorts()]
  t.after(() => provider.close())
  const all: Variables = {
    ...serveVariables(port),
    MINTMARK_DATA_DIR: join(folder, '.mintmark'),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_DRAIN_SECONDS: '0',
    MINTMARK_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    LOG_LEVEL: 'silent',
    ...variables,
  }
  const config = await readServeConfig(all)
  const timing: Timing = { ...timingOf(config), ...QUICK, ...waits }
  await migrateStore(config)
  const service = await openService(config, { timing })
  const { keySets, metrics } = service
  t.after(() => service.close())
  const { workers, stopWatching } = watchWorkers()
  t.after(stopWatching)
  await metrics.serve(fault => assert.fail(String(fault)), { warn: () => undefined })
  const serving = makeServing({
    config,
    timing,
    service: { ...service, keySets: between?.(keySets) ?? keySets },
    logger: pino({ level: 'silent' }),
    notices: notices ?? makeNotices(),
  })
  await serving.start()
  let ended: Promise<void> | undefined
  const close = (): Promise<void> => (ended ??= serving.close())
  t.after(close)

  const made = (...args: readonly string[]): Readonly<Record<string, string>> =>
    JSON.parse(run(folder, [...args, '--json'], all).stdout) as Readonly<Record<string, string>>

  /** Asks on a connection of its own; posts where there is a form. */
  const ask = async (path: string, headers: Variables = {}, form?: Variables) => {
    const body = form && new URLSearchParams(form).toString()
    const given = body === undefined ? { headers } : { method: 'POST', headers: { ...FORM, ...headers } }
    const asked = request({ host: '127.0.0.1', port, path, agent: false, ...given })
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }
  return { config, port, metricsPort, provider, workers, made, ask, close }
}
