// What causes the alerts about the embedded store: another process holds its lock, or its rows are made what they would be
// after days, or triggers refuse what maintenance does.
import { setTimeout as delay } from 'node:timers/promises'
import { openBeside, withFile } from '../../../testkit/stores/store-file.ts'
import type { Cause } from './causes-service.ts'
import { type Causing, startWatched, type WatchedService } from './watched-service.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Takes the write lock for `heldMs` and leaves it for `freeMs`, again and again. */
const holdLock = async (
  { file }: WatchedService,
  { scope, signal }: Causing,
  [heldMs, freeMs]: readonly [number, number],
): Promise<void> => {
  const other = openBeside(file)
  scope.after(() => other.close())
  while (!signal.aborted) {
    other.exec('begin immediate')
    await delay(heldMs)
    other.exec('rollback')
    await delay(freeMs)
  }
}

const changeStore = ({ file }: WatchedService, sql: string): void => withFile(file, db => db.exec(sql))

const refuse = (table: string, when: 'insert' | 'delete'): string =>
  `create trigger refused before ${when} on ${table} begin select raise(abort, 'refused by the drill'); end`

const ENTRIES = `with recursive c(i) as (select 1 union all select i + 1 from c where i < 600)
  insert into audit (at, kind, actor, detail) select (select max(at) from audit), 'agent.create', '{"type":"system"}', '{}' from c`

/** The tokens of an agent that is disabled, more than an act moves by itself, and none of them can be moved. */
const stickRevocation = async (service: WatchedService): Promise<void> => {
  const { issue, json, agent } = service
  for (let n = 0; n < 80; n += 1) await issue()
  changeStore(service, refuse('token', 'delete'))
  json('agent', 'disable', agent.agent_id, '--yes')
  changeStore(service, `update cutoff set at = at - ${2 * HOUR_MS}`)
}

// The id begins with the time of its issue: 1970.
const LONG_EXPIRED = `insert into token (life, id, digest, agent, cred, key, scope, aud, seq)
  select life, x'00000000000170008000000000000001', digest, agent, cred, key, scope, aud, seq from token limit 1`

// What waits is counted of a store that has been restored.
const RESTORED = `insert into audit (at, kind, actor, detail)
  select max(at), 'store.restore', '{"type":"system"}', '{"backup_made_at":null}' from audit`

const setBack = (table: string, column: string, ms: number): string =>
  `update ${table} set ${column} = ${column} - ${ms}`

/** The feed as a follower asks for it, and where it stands. */
const openFeed = async ({ json, url }: WatchedService) => {
  const key = json('api-key', 'create', '--name', 'follower', '--permission', 'tokens:introspect') as {
    readonly api_key: string
  }
  const headers = { 'x-api-key': key.api_key }
  const feed = `${url}/oauth/revocation-feed`
  const { epoch, position } = (await (await fetch(feed, { headers })).json()) as {
    readonly epoch: string
    readonly position: number
  }
  return { feed, headers, epoch, position }
}

const reportOnce = async (service: WatchedService): Promise<void> => {
  const { feed, headers, epoch, position } = await openFeed(service)
  const body = JSON.stringify({ name: 'orders', epoch, position })
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  const { status } = await fetch(`${feed}/positions`, sent)
  if (status !== 204) throw new Error(`The report of a position was answered ${status}.`)
}

/** Follows the revocation feed until the signal, and again where the stream ends. */
const follow = async (service: WatchedService, signal: AbortSignal): Promise<void> => {
  const { feed, headers, epoch } = await openFeed(service)
  // From the beginning of a store that is new.
  const stream = `${feed}/stream?epoch=${epoch}&position=0`
  while (!signal.aborted) {
    const response = await fetch(stream, { headers, signal }).catch(() => undefined)
    await response?.text().catch(() => '')
    await delay(100)
  }
}

const cutFeedOff = async (service: WatchedService, causing: Causing): Promise<void> => {
  void follow(service, causing.signal)
  const isFollowed = async () =>
    (await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text()).includes(
      'mintmark_feed_followers{kind="stream"} 1',
    )
  while (!(await isFollowed())) await delay(250)
  void holdLock(service, causing, [HOUR_MS, 0])
}

export const STORE_CAUSES: readonly Cause[] = [
  {
    alerts: ['MintmarkUnavailable'],
    start: startWatched,
    after: async (service, causing) => {
      void holdLock(service, causing, [HOUR_MS, 0])
      service.busy(20, () => service.issue())
    },
  },
  {
    alerts: ['MintmarkSlow', 'MintmarkCommitsSlow'],
    start: startWatched,
    after: async (service, causing) => {
      void holdLock(service, causing, [900, 300])
      service.busy(8, () => service.issue())
    },
  },
  {
    alerts: ['MintmarkBackgroundFaults', 'MintmarkAuditUnsealed'],
    start: startWatched,
    after: async service => changeStore(service, `${refuse('seal', 'insert')}; ${ENTRIES}`),
  },
  {
    alerts: ['MintmarkFactsStale'],
    start: startWatched,
    after: async service => changeStore(service, 'alter table seal rename to seal_elsewhere'),
  },
  { alerts: ['MintmarkFeedFaults'], start: startWatched, after: cutFeedOff },
  { alerts: ['MintmarkVerifierSilent'], start: startWatched, after: reportOnce },
  {
    alerts: ['MintmarkSuspended'],
    start: startWatched,
    after: async service => changeStore(service, `update agent set suspended_at = created_at; ${RESTORED}`),
  },
  { alerts: ['MintmarkRevocationBacklog'], start: startWatched, after: stickRevocation },
  {
    alerts: ['MintmarkRetentionLate'],
    start: startWatched,
    after: async service => {
      await service.issue()
      changeStore(service, `${LONG_EXPIRED}; ${refuse('token', 'delete')}`)
    },
  },
  {
    alerts: ['MintmarkBackupLate'],
    start: startWatched,
    after: async service => {
      service.json('backup', 'backup.db')
      const then = `json_set(detail, '$.made_at', json_extract(detail, '$.made_at') - ${2 * DAY_MS})`
      changeStore(service, `update audit set detail = ${then} where kind = 'store.backup'`)
    },
  },
  {
    alerts: ['MintmarkSecretsExpire'],
    start: startWatched,
    after: async service =>
      void service.json('api-key', 'create', '--name', 'soon', '--permission', 'tokens:read', '--expires-in', '3d'),
  },
  {
    alerts: ['MintmarkSigningKeyOld'],
    start: startWatched,
    after: async service => changeStore(service, setBack('signing_key', 'created_at', 70 * DAY_MS)),
  },
]
