// What causes the alerts about PostgreSQL and its standby.
import { setTimeout as delay } from 'node:timers/promises'
import { runStatement } from '../../../testkit/databases/postgres-cluster.ts'
import { startPair, type SynchronousPair } from '../../../testkit/databases/synchronous-pair.ts'
import { processesIn, signal as signalAll } from '../../../testkit/processes/processes.ts'
import type { Cause } from './causes-service.ts'
import { type Causing, startWatched, type WatchedService } from './watched-service.ts'

type Onto = (pair: SynchronousPair, service: WatchedService, causing: Causing) => Promise<void>

const onPair = (commits: 'wait' | 'go on', alerts: readonly string[], after: Onto): Cause => {
  let pair: SynchronousPair | undefined
  return {
    alerts,
    start: async causing => {
      const made = await startPair(commits)
      pair = made
      causing.scope.after(made.stop)
      await runStatement(made.url('postgres'), 'create database watched')
      const unsafe = { MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes' }
      return startWatched(causing, () => ({ DATABASE_URL: made.url('watched'), ...unsafe }))
    },
    after: async (service, causing) => {
      if (pair !== undefined) await after(pair, service, causing)
    },
  }
}

/** A standby that answers now and again only. */
const limp = async (pair: SynchronousPair, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    pair.pauseStandby()
    await delay(800)
    pair.resumeStandby()
    await delay(200)
  }
}

const LOG_80_MB = `select count(pg_logical_emit_message(false, 'drill', repeat('x', 1000000))) from generate_series(1, 80)`

export const DATABASE_CAUSES: readonly Cause[] = [
  onPair('wait', ['MintmarkReplicationSlow', 'MintmarkDatabaseConnectionsBusy'], async (pair, service, causing) => {
    const { api_key: key } = service.json('api-key', 'create', '--name', 'k', '--permission', 'agents:read') as {
      api_key: string
    }
    void limp(pair, causing.signal)
    service.busy(20, () => service.issue())
    service.busy(40, () =>
      fetch(`${service.url}/api/v1/agents`, { headers: { 'x-api-key': key } }).then(one => one.text()),
    )
  }),
  onPair('go on', ['MintmarkStandbyBehind'], async pair => {
    pair.pauseStandby()
    await runStatement(pair.url('postgres'), LOG_80_MB)
  }),
  onPair('go on', ['MintmarkStandbyGone'], async (pair, service) => {
    // Its gauge has been read with the standby.
    void service
    await delay(5000)
    signalAll(processesIn(pair.standbyHost), 'SIGKILL')
  }),
]
