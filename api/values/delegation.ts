// Delegation: the grants that an agent may use, and whose tokens it may exchange for its own (RFC 8693).
import { isAlias } from './issuers.ts'
import { type Label, parseLabel } from './labels.ts'
import { formatIssuerSubject, parseIssuerSubject } from './subject.ts'
import { isUuid } from './uuid.ts'

export const CLIENT_CREDENTIALS = 'client_credentials'
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** RFC 6749 §4.4, RFC 8693 §2.1, RFC 7523 §2.1; in the order of the metadata. */
export const GRANT_TYPES = [CLIENT_CREDENTIALS, TOKEN_EXCHANGE, JWT_BEARER] as const

/** What is taken by {@link JWT_BEARER}: ID-JAGs (draft-ietf-oauth-identity-assertion-authz-grant §7). */
export const GRANT_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

export type GrantType = (typeof GRANT_TYPES)[number]

export const isGrantType = (text: string): text is GrantType => (GRANT_TYPES as readonly string[]).includes(text)

/** RFC 8693 §3: the one type of token that is issued. */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** Those that are taken: access tokens of this service, and JWTs of trusted issuers by their kind (RFC 8693 §3). */
export const SUBJECT_TOKEN_TYPES = {
  access_token: ACCESS_TOKEN_TYPE,
  id_token: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
} as const

/** Entries of an agent's `acts_for`. */
export const ACTS_FOR_MAX = 64
/** Entries of an agent's `receives`. */
export const RECEIVES_MAX = 64
/** Members of an agent's `issuer_clients`. */
export const ISSUER_CLIENTS_MAX = 64

/** In `acts_for`: any agent. */
export const ANY_AGENT = '*'

export const ACTS_FOR_FORM = `the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or ${ANY_AGENT}`

const LABEL = 'label:'

/** The label of an entry of `acts_for`; undefined where it names none. */
export const labelIn = (entry: string): Label | undefined =>
  entry.startsWith(LABEL) ? parseLabel(entry.slice(LABEL.length)) : undefined

const ISSUER = 'issuer:'

/** An issuer by its alias, and one subject of it; null: any. */
export type IssuerEntry = { readonly issuer: string; readonly sub: string | null }

/** The issuer of an entry of `acts_for`; undefined where it names none. */
export const issuerIn = (entry: string): IssuerEntry | undefined => {
  if (!entry.startsWith(ISSUER)) return undefined
  const named = entry.slice(ISSUER.length)
  return isAlias(named) ? { issuer: named, sub: null } : parseIssuerSubject(named)
}

export const isActsForEntry = (text: string): boolean =>
  text === ANY_AGENT || isUuid(text) || labelIn(text) !== undefined || issuerIn(text) !== undefined

/** Whether the agent may act for one with this id, whatever its labels. */
export const actsForId = (actsFor: readonly string[], agentId: string): boolean =>
  actsFor.includes(ANY_AGENT) || actsFor.includes(agentId)

/** Whether the agent may act for one with these labels. */
export const actsForLabels = (actsFor: readonly string[], labels: Readonly<Record<string, string>>): boolean =>
  actsFor.some(entry => {
    const label = labelIn(entry)
    return label !== undefined && Object.hasOwn(labels, label.key) && labels[label.key] === label.value
  })

/** Whether the agent may act for this subject of an issuer: only an entry of that issuer allows it. */
export const actsForPrincipal = (actsFor: readonly string[], alias: string, sub: string): boolean =>
  actsFor.includes(ISSUER + alias) || actsFor.includes(ISSUER + formatIssuerSubject({ issuer: alias, sub }))
