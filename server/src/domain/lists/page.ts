// Lists: filters, pages, and the cursor that leads from one page to the next.
import type { Actor } from '../audit/act.ts'
import type { GrantType } from '../../../../api/values/delegation.ts'
import type { Reason } from '../../../../api/values/reason.ts'
import type { NameKinds, WithNames } from './names.ts'
import { isStorable } from '../text/text.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import { isTokenId } from '../ledger/claims.ts'
import type { TokenSubject } from '../ledger/token-subject.ts'
import { isAlias } from '../../../../api/values/issuers.ts'
import { MANAGED_KINDS } from '../../../../api/values/managed.ts'
import { isSub } from '../../../../api/values/subject.ts'
import { isUuid } from '../../../../api/values/uuid.ts'

/** Rows that one request may examine. A page with a rare combination may be short, even empty, with a cursor. */
export const PAGE_EXAMINED_MAX = 10_000

/** Filters of both lists; null means no filter. `_after` is inclusive, `_before` exclusive. */
export type TokenFilters = {
  readonly agentId: string | null
  readonly clientId: string | null
  /** The token's scope contains this item. */
  readonly scope: string | null
  readonly issuedAfter: Milliseconds | null
  readonly issuedBefore: Milliseconds | null
  /** The `sub` of the token: the id of an agent, or `ALIAS:SUB` of an issuer. Cursors are bound to the name of this member. */
  readonly subjectId: string | null
  readonly parentId: string | null
  /** Selects the tokens of one tree, its root included. */
  readonly rootId: string | null
  readonly credentialId: string | null
  /** The key that signed the token. */
  readonly kid: string | null
  /** The token is for this audience, possibly among others. */
  readonly audience: string | null
  /** The store's numbers of the agents whose tokens are asked for. */
  readonly agents: readonly number[] | null
}

export type HistoryFilters = TokenFilters & {
  readonly reasons: readonly Reason[] | null
  readonly endedAfter: Milliseconds | null
  readonly endedBefore: Milliseconds | null
  /** Who ended it: the `sub` or `id` of an actor, or `system`. */
  readonly endedBy: string | null
  /** The bulk revocation that ended it. */
  readonly revocationId: string | null
}

/** The end of a page: the last row examined. In the list of live tokens, `at` is 0; in the audit, `id` is a number. */
export type Position = { readonly at: Milliseconds; readonly id: string }

export type PageRequest<F> = {
  readonly filters: F
  /** The caller's restriction: only tokens for one of these audiences; null for all. */
  readonly audiences: readonly string[] | null
  readonly after: Position | null
  readonly limit: number
  /** What the records name with its name; nothing where it is absent. */
  readonly named?: NameKinds
}

export type TokenRecord = Pick<WithNames, 'names'> & {
  readonly id: string
  readonly agentId: string
  readonly clientId: string
  readonly credentialId: string
  readonly scope: string
  readonly audience: readonly string[]
  readonly kid: string
  readonly issuedAt: Seconds
  readonly expiresAt: Seconds
  readonly subject: TokenSubject
  /** Ids of agents, the last to act first; none where the subject got the token itself. */
  readonly actors: readonly string[]
  /** The parent first; none where the token has no parent. */
  readonly ancestors: readonly AncestorRecord[]
}

/** An ancestor as the record of a descendant names it; `id` is null for who may not see a token with these audiences. */
export type AncestorRecord = { readonly id: string | null; readonly audience: readonly string[] }

/** An ancestor with all that its descendants say of it. */
export type NamedAncestor = AncestorRecord & {
  readonly id: string
  readonly expiresAt: Seconds
  readonly seq: number
  readonly agentId: string
  readonly credentialId: string
  readonly kid: string
}

export type TokenEnd = {
  readonly endedAt: Milliseconds
  readonly reason: Reason
  /** Null if the token expired. */
  readonly endedBy: Actor | null
  readonly note: string | null
  /** The bulk revocation that ended this token; null if something else did. */
  readonly revocationId: string | null
  /** The ancestor with which it ended; null if it ended of its own. */
  readonly ancestorId: string | null
}

export type EndedTokenRecord = TokenRecord & TokenEnd

/** The whole life of a token; `end` is null while it is active. */
export type TokenLife = Pick<WithNames, 'names'> & { readonly token: TokenRecord; readonly end: TokenEnd | null }

/** A member of a token's tree; `removed`: retention removed it, and its descendants still name it. */
export type LineageRecord = TokenLife | (Pick<WithNames, 'names'> & { readonly id: string; readonly removed: true })

/** The lineage is selected by any member of the tree. */
export type LineageOf = { readonly memberId: string }

export type Page<R> = {
  readonly records: readonly R[]
  readonly next: Position | null
  /** How many rows the store examined, for tests and the benchmark. */
  readonly examined: number
}

/** Filters of the lists of what has a name; null means no filter. */
export type NameFilters = {
  readonly name: string | null
  readonly namePrefix: string | null
  /** What has this id, or one that opens so, and what has a name that opens so. */
  readonly search: string | null
}

/** The same of API keys; an empty list means no filter. */
export type ApiKeyFilters = NameFilters & { readonly ids: readonly string[] }

/** Filters of the list of agents; null, or an empty list, means no filter. */
export type AgentFilters = NameFilters & {
  /** What has this id, or one that opens so, and any agent with this in its name, its owner or a label. */
  readonly search: string | null
  /** An id that opens so leads to the agent: its own, that of its client, or of one of its credentials. */
  readonly idPrefix: string | null
  /** One of these ids. */
  readonly ids: readonly string[]
  readonly clientIds: readonly string[]
  readonly disabled: boolean | null
  /** It may use this grant. */
  readonly grantType: GrantType | null
  /** It existed then, and got no token since, nor shortly before. */
  readonly unusedSince: Milliseconds | null
  readonly expiresBefore: Milliseconds | null
  readonly owner: string | null
  /** The agent has each of these labels. */
  readonly labels: readonly { readonly key: string; readonly value: string }[]
}

/** A page of a list ordered by a key, such as a name. */
export type KeyedRequest<F> = {
  readonly filters: F
  /** The key at the end of the previous page; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export type KeyedPage<R> = {
  readonly records: readonly R[]
  /** The key of the last row examined; null if nothing follows. */
  readonly next: string | null
}

/** Lists whose pages end at a {@link Position}. */
export type PositionedList = 'tokens' | 'history' | 'lineage' | 'audit' | 'refusals' | 'uses' | 'late_uses'

/** Lists whose pages end at a key: agents at a name, issuers at an alias, subjects at a sub, verifiers at the id of a key and a name, the others at an id. */
export type KeyedList =
  | 'agents'
  | 'credentials'
  | 'api_keys'
  | 'issuers'
  | 'managed'
  | 'subjects'
  | 'signing_keys'
  | 'verifiers'
  | 'sessions'

const isNumber = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text)

/** Orders rows with the same time. */
const IS_ID: Readonly<Record<PositionedList, (text: string) => boolean>> = {
  tokens: isTokenId,
  history: isTokenId,
  lineage: isUuid,
  audit: isNumber,
  refusals: isNumber,
  uses: isNumber,
  late_uses: isNumber,
}

/** A kind of records that files declare, and an id or an alias. */
const isManagedKey = (text: string): boolean => {
  const [kind, id = '', ...rest] = text.split(' ')
  return rest.length === 0 && MANAGED_KINDS.some(one => one === kind) && (isUuid(id) || isAlias(id))
}

const IS_KEY: Readonly<Record<KeyedList, (text: string) => boolean>> = {
  agents: isStorable,
  credentials: isUuid,
  api_keys: isUuid,
  issuers: isAlias,
  managed: isManagedKey,
  subjects: isSub,
  sessions: isUuid,
  // The store's number.
  signing_keys: isNumber,
  // The id of an API key, and a name.
  verifiers: isStorable,
}

const VERSION = '1'

/** The opaque cursor for a position, bound to its list and the fingerprint of its filters. */
export const formatCursor = (list: PositionedList, fingerprint: string, position: Position): string =>
  [VERSION, list, fingerprint, position.at, position.id].join('.')

/** The position in a cursor of this list with these filters; undefined for any other text. */
export const parseCursor = (list: PositionedList, fingerprint: string, cursor: string): Position | undefined => {
  const [version, listed, print, at = '', id = '', ...rest] = cursor.split('.')
  if (version !== VERSION || listed !== list || print !== fingerprint || rest.length > 0) return undefined
  if (!/^(0|[1-9]\d{0,14})$/.test(at) || !IS_ID[list](id)) return undefined
  return { at: Number(at), id }
}

/** Formats the cursor of a list ordered by a key, which may be any stored text. */
export const formatKeyCursor = (list: KeyedList, fingerprint: string, key: string): string =>
  [VERSION, list, fingerprint, encodeURIComponent(key)].join('.')

const decodeKey = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const parseKeyCursor = (list: KeyedList, fingerprint: string, cursor: string): string | undefined => {
  const opening = formatKeyCursor(list, fingerprint, '')
  const key = cursor.startsWith(opening) ? decodeKey(cursor.slice(opening.length)) : undefined
  return key !== undefined && IS_KEY[list](key) ? key : undefined
}

/** The normal form of filters, to which a cursor is bound: a filter that is not used is not part of it. */
export const fingerprintText = (request: { filters: object; audiences: readonly string[] | null }): string => {
  const used = Object.entries(request.filters).filter(([, value]) => value !== null)
  return JSON.stringify([used.toSorted(([a], [b]) => (a < b ? -1 : 1)), request.audiences])
}
