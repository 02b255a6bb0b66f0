// What the checks of an installation examine. What takes a while, or the network, is fetched once for all of them.
import type { ServeConfig, ServeSurvey } from '../../config/config.ts'
import type { ReloadedKind } from '../../config/read-again.ts'
import { type Finding, warn } from '../../domain/checkup.ts'
import type { StoreInspection } from '../../store/inspection.ts'
import type { ServiceSeen } from './service-seen.ts'

type CheckedName =
  | 'dataDirectory'
  | 'databaseFile'
  | 'postgres'
  | 'tls'
  | 'clientCertificates'
  | 'trustedProxies'
  | 'limits'
  | 'identityProviders'
  | 'clientKeyRanges'

/** Settings of `serve`, as far as they can be read. */
export type CheckedSettings = Pick<ServeConfig, CheckedName> & {
  readonly baseUrl: string | undefined
  readonly keyEncryptionKey: string | undefined
}

export type Surveyed = Omit<ServeSurvey, 'settings'> & { readonly settings: CheckedSettings }

/** `reason`: why the store cannot be looked at, and what to do. */
export type StoreSeen = { readonly inspection: StoreInspection } | { readonly failure: Finding }

export type Subject = {
  readonly survey: Surveyed
  readonly now: () => number
  readonly store: () => Promise<StoreSeen>
  /** The service at its base URL, or at the one that was named. */
  readonly service: () => Promise<ServiceSeen>
  /** Why changed files are not in use, where they are not. */
  readonly reloadFailures: () => Partial<Readonly<Record<ReloadedKind, string>>>
}

/** The finding of a check that could not run because another check found a problem. */
export const notChecked = (because: string, remedy: string): readonly Finding[] => [
  warn({ what: `Not checked: ${because}.`, remedy, brief: `Not checked: ${because}.` }),
]

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const SEPARATORS = ['; expected ', '. ', ': '] as const

/** A message that says what is wrong and then what to do, as the two. */
export const splitAdvice = (text: string): { readonly what: string; readonly remedy: string } => {
  const separator = SEPARATORS.find(one => text.includes(one))
  if (separator === undefined)
    return { what: asSentence(text), remedy: 'Correct it as docs/reference/settings.md says.' }
  const at = text.indexOf(separator)
  const rest = text.slice(at + separator.length)
  const remedy = separator === '; expected ' ? `Expected: ${rest}` : capitalized(rest)
  return { what: asSentence(text.slice(0, at)), remedy: asSentence(remedy) }
}
