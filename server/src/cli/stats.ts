// mintmark stats
import type { Command } from 'commander'
import { checkHealth } from '../../../api/health.ts'
import { showStatus } from '../../../api/status.ts'
import { readRemoteConfig } from '../config/config.ts'
import { defineAdminCommand, show } from './administer.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import type { WhereOptions } from './remote/open-api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import { areRecords, type PrintedRecord } from './terminal/print.ts'

/** Whether a service is named; the store of this machine is ready once it answers. */
const isRemote = ({ url, apiKeyFile, jwtFile }: WhereOptions): boolean =>
  readRemoteConfig({ url, isCredentialGiven: apiKeyFile !== undefined || jwtFile !== undefined }) !== null

/** Null where there is no service to ask. */
const readReady = async (api: Api, options: WhereOptions): Promise<boolean | null> => {
  if (!isRemote(options)) return null
  try {
    await api.call(checkHealth, {})
    return true
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 503) return false
    throw error
  }
}

const UNREADY = new CommandFailed('The service is not ready: GET /readyz says why.', EXIT.unreachable)

const DAY_MS = 86_400_000

const ageOf = (at: unknown, now: unknown): string => {
  const days = (Date.parse(String(now)) - Date.parse(String(at))) / DAY_MS
  return Number.isFinite(days) ? `${Math.max(0, days).toFixed(1)} days` : '-'
}

/** The keys by their state, each with its age. */
const describeKeys = ({ signing_keys: keys, at }: PrintedRecord): readonly string[] =>
  areRecords(keys) ? keys.map(key => `${String(key['state'])}: ${ageOf(key['created_at'], at)}`) : []

export const addStats = (program: Command): void =>
  defineAdminCommand<WhereOptions>(
    program.command('stats').description('show the state of the service on one screen: rates, agents, keys, audit log'),
    {
      json: 'print {"ready":…} with what GET /api/v1/status answers; ready is null of a store without a service',
      examples: ['mintmark stats', 'mintmark stats --json'],
      run: async ({ api, options }) => {
        const ready = await readReady(api, options)
        // What cannot write may still be read; what cannot be read either fails here, and says why.
        const status = await api.call(showStatus, {})
        const json = { ready, ...status }
        const shown = show({ ...json, signing_keys: describeKeys(status) })
        return ready === false ? { ...shown, json, failure: UNREADY } : { ...shown, json }
      },
    },
  )
