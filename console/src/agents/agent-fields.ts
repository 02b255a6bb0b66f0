// The settings of an agent as fields of a form: what a field says as the API takes it, and as options of the command.
import { formatLabels } from '../../../api/values/labels.ts'
import type { AgentRecord, ChangeAgentBody } from '../../../packages/client/src/index.ts'
import { parseObject } from '../../../packages/verify/src/readers/json.ts'
import { GRANT_TYPES } from '../../../api/values/delegation.ts'
import { AT_LIVE_TOKENS_MAX } from '../../../api/values/limits.ts'
import { pairsOf, wordsOf } from '../parts/typed-lines.ts'

type Setting = Exclude<keyof ChangeAgentBody, 'dry_run'>

/** `text` may be long; `words` are separated by white space; `labels` and `pairs` are lines of `key=value`, where all pairs are sent. */
export type Kind = 'line' | 'text' | 'words' | 'number' | 'flag' | 'labels' | 'pairs' | 'json' | readonly string[]

export type Field = {
  readonly title: string
  readonly kind: Kind
  readonly hint?: string
  readonly isRequired?: true
  /** The option of the command, where it is not the name of the setting. */
  readonly option?: string
}

export const FIELDS: Readonly<Record<Setting, Field>> = {
  name: { title: 'Name', kind: 'line', hint: 'which no other agent has', isRequired: true },
  scope: { title: 'Scope', kind: 'line', hint: 'db:read db:write', isRequired: true },
  owner: { title: 'Owner', kind: 'line', hint: 'who answers for it' },
  description: { title: 'Description', kind: 'text' },
  labels: { title: 'Labels', kind: 'labels', hint: 'team=payments, one a line', option: 'label' },
  default_scope: { title: 'Default scope', kind: 'line', hint: 'where a request names none' },
  resources: { title: 'Audiences', kind: 'words', hint: 'URIs, or * for any', option: 'resource' },
  default_audience: { title: 'Default audience', kind: 'line', hint: 'the one of the service' },
  lifetime_seconds: { title: 'Lifetime of tokens, s', kind: 'number', hint: 'that of the service' },
  tokens_per_minute: { title: 'Tokens a minute', kind: 'number', hint: 'any number' },
  tokens_per_day: { title: 'Tokens a day', kind: 'number', hint: 'any number' },
  live_tokens_max: { title: 'Live tokens', kind: 'number', hint: 'any number' },
  at_live_tokens_max: { title: 'Beyond its live tokens', kind: AT_LIVE_TOKENS_MAX },
  dpop_bound_access_tokens: { title: 'Only with DPoP proof', kind: 'flag' },
  tls_client_certificate_bound_access_tokens: { title: 'Bound to its TLS certificate', kind: 'flag' },
  grant_types: { title: 'Grants', kind: 'words', hint: GRANT_TYPES[0], option: 'grant-type' },
  acts_for: {
    title: 'Acts for',
    kind: 'words',
    hint: 'ids of agents, label:key=value, *, issuer:ALIAS, or issuer:ALIAS:SUB',
  },
  receives: { title: 'Exchanges tokens for', kind: 'words', hint: 'URIs' },
  issuer_clients: {
    title: 'Clients at issuers',
    kind: 'pairs',
    hint: 'alias=id of its client there, one a line',
    option: 'issuer-client',
  },
  claims: { title: 'Own claims', kind: 'json', hint: '{"tenant_id": "acme"}' },
  expires_at: { title: 'Expires', kind: 'line', hint: 'never, or 2026-11-21T09:30:05Z' },
}

export const SETTINGS = Object.keys(FIELDS) as readonly Setting[] // of that table

type Values = Readonly<Record<string, string>>

/** What a field shows of an agent; a flag is `on` or empty. */
export const textOf = (agent: AgentRecord, setting: Setting): string => {
  if (setting === 'labels' || setting === 'issuer_clients') return formatLabels(agent[setting]).join('\n')
  if (setting === 'claims') return Object.keys(agent.claims).length === 0 ? '' : JSON.stringify(agent.claims, null, 1)
  const value = agent[setting]
  if (value === null || value === false) return ''
  if (value === true) return 'on'
  return typeof value === 'object' ? value.join('\n') : String(value)
}

const labelsIn = (text: string): Readonly<Record<string, string>> => Object.fromEntries(pairsOf(text))

const changeOfLabels = (text: string, before: string): LabelsChange => {
  const [now, was] = [labelsIn(text), labelsIn(before)]
  const change = new Map<string, string | null>()
  for (const key of Object.keys(was)) if (!Object.hasOwn(now, key)) change.set(key, null)
  for (const [key, value] of Object.entries(now)) if (was[key] !== value) change.set(key, value)
  return Object.fromEntries(change)
}

type LabelsChange = Readonly<Record<string, string | null>>

type Value = string | number | boolean | null | readonly string[] | LabelsChange | AgentRecord['claims']

const isList = (value: Value): value is readonly string[] => Array.isArray(value)

const utf8 = new TextEncoder()

/** What is no object, or repeats a name, is sent as it is, as a number that is none. */
const claimsIn = (text: string): Value =>
  text === '' ? {} : ((parseObject(utf8.encode(text)) as AgentRecord['claims'] | undefined) ?? text) // the service parses it

const parse = (setting: Setting, text: string, before: string): Value => {
  const { kind, isRequired } = FIELDS[setting]
  if (kind === 'labels') return changeOfLabels(text, before)
  if (kind === 'pairs') return labelsIn(text)
  if (kind === 'json') return claimsIn(text)
  if (kind === 'words') return wordsOf(text)
  if (kind === 'flag') return text === 'on'
  if (text === '' && isRequired !== true) return null
  // What is no number is sent as it is: the service says what is wrong.
  return kind === 'number' && /^\d{1,9}$/.test(text) ? Number(text) : text
}

const sameText = (text: string): string => text.replaceAll('\r\n', '\n').trim()

/** Settings as the API takes them. */
export type Change = Readonly<Record<string, Value>>

/** Returns the settings that differ from `before`, as the API takes them. */
export const changeOf = (values: Values, before: Values): Change => {
  const changed = SETTINGS.map(setting => {
    const [now, was] = [sameText(values[setting] ?? ''), sameText(before[setting] ?? '')]
    return [setting, now, was] as const
  }).filter(([, now, was]) => now !== was)
  return Object.fromEntries(changed.map(([setting, now, was]) => [setting, parse(setting, now, was)]))
}

const optionsOf = (setting: Setting, value: Value): readonly string[] => {
  const { kind, option: name = setting.replaceAll('_', '-') } = FIELDS[setting]
  const isWhole = kind === 'words' || kind === 'pairs' || kind === 'json'
  const json = typeof value === 'string' ? value : JSON.stringify(value)
  if (kind === 'json' && json !== '{}') return [`--${name}`, json]
  if (value === null || value === false || (isWhole && Object.keys(value).length === 0)) return [`--no-${name}`]
  if (value === true) return [`--${name}`]
  if (isList(value)) return value.flatMap(one => [`--${name}`, one])
  if (typeof value !== 'object') return [`--${name}`, String(value)]
  return Object.entries(value).flatMap(([key, one]) =>
    one === null ? ['--remove-label', key] : [`--${name}`, `${key}=${String(one)}`],
  )
}

export const optionsFor = (change: Change): readonly string[] =>
  SETTINGS.flatMap(setting => {
    const value = change[setting]
    return value === undefined ? [] : optionsOf(setting, value)
  })
