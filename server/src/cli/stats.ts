// mintmark stats
import { type Command, InvalidArgumentError, Option } from 'commander'
import { checkHealth } from '../../../api/status.ts'
import { listExpiring, showStatus } from '../../../api/status.ts'
import { DAY_MS } from '../../../api/values/time.ts'
import { readRemoteConfig } from '../config/config.ts'
import { ACCEPT_REMEDY, SUSPENDED_BRIEF } from '../domain/restore.ts'
import { defineAdminCommand, show, type Shown } from './administer.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import type { WhereOptions } from './remote/open-api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { areRecords, printLine, type PrintedRecord, printTable, formatCell } from './terminal/print.ts'
import { showUsageSeries } from '../../../api/usage.ts'
import { SERIES_WINDOW_NAMES, type SeriesWindow } from '../../../api/values/usage.ts'

// What happened over time, as a table: mintmark stats --over.

type SeriesOptions = { readonly over?: SeriesWindow; readonly agent?: string }

const COLUMNS = ['from', 'issued', 'refused', 'active', 'inactive', 'ended']

const overOption = (): Option =>
  new Option('--over <window>', 'show a table over time: each minute of an hour, or each hour of a day').choices(
    SERIES_WINDOW_NAMES,
  )

/** The ends of a point, as `2 manual_revocation`. */
const formatEnds = (ended: unknown): readonly string[] =>
  areRecords(ended) ? ended.map(({ reason, ...count }) => `${formatCell(count)} ${String(reason)}`) : []

const rowOf = ({ ended, ...point }: PrintedRecord): PrintedRecord => ({ ...point, ended: formatEnds(ended).join(', ') })

const showSeries = async (api: Api, over: SeriesWindow, agent: string | undefined): Promise<Shown> => {
  const series = await api.call(showUsageSeries, { query: { over, agent_id: agent } })
  const { data } = series
  return { json: series, forPeople: () => printTable(COLUMNS, areRecords(data) ? data.map(rowOf) : []) }
}

/** Whether a service is named; the store of this machine is ready once it answers. */
const isRemote = ({ url, apiKeyFile, jwtFile }: WhereOptions): boolean =>
  readRemoteConfig({ url, isCredentialGiven: apiKeyFile !== undefined || jwtFile !== undefined }) !== null

type Health = { readonly ready: boolean; readonly components: readonly PrintedRecord[] }

const componentsIn = (answer: PrintedRecord | undefined): readonly PrintedRecord[] => {
  const components = answer?.['components']
  return areRecords(components) ? components : []
}

/** Null where there is no service to ask. */
const readHealth = async (api: Api, options: WhereOptions): Promise<Health | null> => {
  if (!isRemote(options)) return null
  try {
    return { ready: true, components: componentsIn(await api.call(checkHealth, { query: { verbose: true } })) }
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 503) {
      return { ready: false, components: componentsIn(error.answer) }
    }
    throw error
  }
}

/** `ignored` and `believed` are of this request, and no fault. */
const FINE = ['ok', 'believed', 'ignored']

const COMPONENT_COLUMNS = ['component', 'status', 'reason']

const isFine = ({ status }: PrintedRecord): boolean => FINE.includes(String(status))

const nameComponent = ({ name, check, issuer }: PrintedRecord): string =>
  [name === 'check' ? check : name, issuer]
    .filter(part => part !== undefined)
    .map(String)
    .join(' ')

/** What of the service is not as it should be; nothing where all is. */
const printFaults = (components: readonly PrintedRecord[]): void => {
  const faults = components.filter(one => !isFine(one))
  if (faults.length === 0) return
  printLine('')
  printTable(
    COMPONENT_COLUMNS,
    faults.map(one => ({ ...one, component: nameComponent(one) })),
  )
}

const describeHealth = (components: readonly PrintedRecord[]): string => {
  const fine = components.filter(isFine).length
  return fine === components.length ? `${fine} ok` : `${fine} ok, ${components.length - fine} not`
}

const UNREADY = new CommandFailed('The service is not ready: its checks say why.', EXIT.unreachable)

const ageOf = (at: unknown, now: unknown): string => {
  const days = (Date.parse(String(now)) - Date.parse(String(at))) / DAY_MS
  return Number.isFinite(days) ? `${Math.max(0, days).toFixed(1)} days` : '-'
}

/** The keys by their state, each with its age. */
const describeKeys = ({ signing_keys: keys, at }: PrintedRecord): readonly string[] =>
  areRecords(keys) ? keys.map(key => `${String(key['state'])}: ${ageOf(key['created_at'], at)}`) : []

const isAnySuspendedIn = (status: PrintedRecord): boolean =>
  ['agents', 'credentials', 'api_keys', 'issuers'].some(kind => Number(status[`${kind}_suspended`]) > 0)

const showState = async (api: Api, options: WhereOptions): Promise<Shown> => {
  const health = await readHealth(api, options)
  const { ready = null, components = [] } = health ?? {}
  // What cannot write may still be read; what cannot be read either fails here, and says why.
  const status = await api.call(showStatus, {})
  const checks = components.length === 0 ? {} : { checks: describeHealth(components) }
  const shown = show({ ready, ...checks, ...status, signing_keys: describeKeys(status) })
  const json = { ready, ...(health !== null && { components }), ...status }
  const forPeople = async (): Promise<void> => {
    await shown.forPeople(api)
    printFaults(components)
    if (isAnySuspendedIn(status)) printLine(`\n${SUSPENDED_BRIEF}\n${ACCEPT_REMEDY}`)
  }
  return ready === false ? { json, forPeople, failure: UNREADY } : { json, forPeople }
}

const EXPIRING_COLUMNS = ['expires_at', 'kind', 'name', 'agent_name', 'last_used_at', 'id']

const showExpiring = async (api: Api): Promise<Shown> => {
  const answer = await api.call(listExpiring, {})
  const { data } = answer
  return { json: answer, forPeople: () => printTable(EXPIRING_COLUMNS, areRecords(data) ? data : []) }
}

type StatsOptions = WhereOptions & SeriesOptions & { readonly expiring?: boolean }

export const addStats = (program: Command): void =>
  defineAdminCommand<StatsOptions>(
    program
      .command('stats')
      .description('show the state of the service on one screen: health, rates, agents, keys, audit log')
      .addOption(overOption())
      .option('--agent <agent-id>', 'with --over: only what this agent asked for, and only its tokens')
      .addOption(
        new Option('--expiring', 'list the credentials and API keys that expire within 7 days').conflicts([
          'over',
          'agent',
        ]),
      ),
    {
      json: 'print {"ready","components"} of /readyz?verbose with what GET /api/v1/status answers; ready is null of a store without a service. With --over what GET /api/v1/usage/series answers, with --expiring what GET /api/v1/status/expiring answers',
      examples: ['mintmark stats', 'mintmark stats --over 24h', 'mintmark stats --json'],
      run: ({ api, options }) => {
        const { over, agent, expiring } = options
        if (expiring === true) return showExpiring(api)
        if (over !== undefined) return showSeries(api, over, agent)
        if (agent !== undefined) throw new InvalidArgumentError('--agent needs --over: the state is of all agents.')
        return showState(api, options)
      },
    },
  )
