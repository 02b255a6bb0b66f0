// Parses a client of Ory Hydra: a row of its table hydra_client as JSON, or the output of its admin API.
import { type ForeignClient, type SkipReason, textOrNull } from './foreign-client.ts'
import { secretFormOf } from './foreign-hash.ts'
import type { Seconds } from '../../../../api/values/time.ts'

type Text = string | null | undefined
/** A list is an array in the admin API and in PostgreSQL's rows, JSON text in other databases, joined by `|` before version 2. */
type List = readonly string[] | Text

type HydraClient = {
  /** The client's id in a row, and in rows of version 1. */
  readonly id?: Text
  /** The id in the admin API. */
  readonly client_id?: Text
  readonly client_name?: Text
  /** The secret; in a row of the database, its hash. */
  readonly client_secret?: Text
  readonly client_secret_expires_at?: number | null | undefined
  readonly scope?: Text
  readonly audience?: List
  readonly grant_types?: List
  readonly owner?: Text
  readonly token_endpoint_auth_method?: Text
  /** Nanoseconds in a row, a duration such as `1h0m0s` in the admin API. */
  readonly client_credentials_grant_access_token_lifespan?: number | Text
}

const SECRET_METHODS: readonly string[] = ['client_secret_basic', 'client_secret_post']
const NANOSECONDS = 1e9
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/
const SECONDS_OF: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
}

const parseJsonList = (text: string): readonly string[] => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
  } catch {
    return []
  }
}

const listOf = (list: List): readonly string[] => {
  if (list === null || list === undefined) return []
  if (typeof list !== 'string') return list
  return list.startsWith('[') ? parseJsonList(list) : list.split('|').filter(Boolean)
}

const skipReason = (client: HydraClient): SkipReason | null => {
  const method = client.token_endpoint_auth_method ?? 'client_secret_basic'
  if (method === 'none') return 'public_client'
  // Without any, Hydra assumes the authorization-code grant.
  if (!listOf(client.grant_types).includes('client_credentials')) return 'no_client_credentials'
  return method === '' || SECRET_METHODS.includes(method) ? null : 'other_authentication'
}

const lifetimeOf = (lifespan: number | Text): Seconds | null => {
  if (lifespan === null || lifespan === undefined || lifespan === '') return null
  if (typeof lifespan === 'number' || /^\d+$/.test(lifespan)) return Number(lifespan) / NANOSECONDS
  if (!DURATION.test(lifespan)) return Number.NaN
  const parts = [...lifespan.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/gy)]
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (SECONDS_OF[unit] ?? Number.NaN), 0)
}

export const readHydraClient = (client: HydraClient): ForeignClient => {
  const expires = client.client_secret_expires_at ?? 0
  const secret = client.client_secret ?? ''
  return {
    clientId: client.client_id ?? client.id ?? '',
    skip: skipReason(client),
    name: textOrNull(client.client_name),
    description: null,
    owner: textOrNull(client.owner),
    isDisabled: false,
    secret: secret === '' ? null : { form: secretFormOf(secret), text: secret },
    secretExpiresAt: expires === 0 ? null : expires * 1000,
    // Hydra grants nothing if a request names no scope.
    defaultScopes: [],
    optionalScopes: (client.scope ?? '').split(' ').filter(Boolean),
    audiences: listOf(client.audience),
    lifetimeSeconds: lifetimeOf(client.client_credentials_grant_access_token_lifespan),
  }
}
