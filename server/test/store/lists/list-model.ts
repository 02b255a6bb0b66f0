// The ledger by brute force: every token ever issued in an array, and what ended it. The tests' truth on both lists.
import type { Act } from '../../../src/domain/audit/act.ts'
import type { CutOffConditions } from '../../../src/domain/ledger/ledger.ts'
import { type Principal, subjectClaim } from '../../../src/domain/ledger/token-subject.ts'
import type { EndedTokenRecord, HistoryFilters, TokenFilters, TokenRecord } from '../../../src/domain/lists/page.ts'
import type { EndingReason, Reason } from '../../../../api/values/reason.ts'
import type { NewToken } from '../../../src/ports/ports.ts'
import type { TestAgent } from '../../../../testkit/stores/store.ts'

type Ending = Pick<EndedTokenRecord, 'endedAt' | 'endedBy' | 'note' | 'revocationId' | 'ancestorId'> & {
  readonly reason: Reason
}

export type ModelToken = {
  readonly record: TokenRecord
  readonly lifetimeSeconds: number
  readonly issuedMs: number
  readonly expiresMs: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  /** Of the root of its lineage, by the store's numbers. */
  readonly principal: number | null
  readonly issuer: number | null
  readonly seq: number
  /** The token that it was got for. */
  readonly parent: ModelToken | null
  ending: Ending | null
}

export type Asked<F extends TokenFilters> = { readonly filters: F; readonly audiences: readonly string[] | null }

export type Ended = {
  readonly at: number
  readonly reason: EndingReason
  readonly act: Act
  /** Of a revocation of many tokens. */
  readonly revocationId?: string | null
}

/** The parent first. */
export const ancestorsOf = ({ parent }: ModelToken): readonly ModelToken[] =>
  parent === null ? [] : [parent, ...ancestorsOf(parent)]

const rootOf = (token: ModelToken): ModelToken => ancestorsOf(token).at(-1) ?? token

const matchesPattern = (pattern: string, item: string): boolean => {
  const [resource = '', action = ''] = pattern.split(':')
  return action === '*' ? item.split(':')[0] === resource : item === pattern
}

const isCovered = (x: CutOffConditions, token: ModelToken): boolean => {
  const { record } = token
  const items = record.scope.split(' ')
  if (x.agent !== null && x.agent !== token.agent) return false
  if (x.credential !== null && x.credential !== token.credential) return false
  if (x.key !== null && x.key !== token.key) return false
  const { scope, keepScopes, keepAudiences } = x
  if (scope !== null && !items.some(item => matchesPattern(scope, item))) return false
  if (keepScopes !== null && items.every(item => keepScopes.some(kept => matchesPattern(kept, item)))) return false
  if (x.audience !== null && !record.audience.includes(x.audience)) return false
  if (keepAudiences !== null && record.audience.every(audience => keepAudiences.includes(audience))) return false
  if (x.root !== null && x.root !== undefined && x.root !== rootOf(token).record.id) return false
  if (x.fromAnother === true && (token.parent === null || token.parent.agent === token.agent)) return false
  const { issuers = null, principals = null } = x
  if (issuers !== null && !issuers.some(n => n === token.issuer)) return false
  if (principals !== null && !principals.some(n => n === token.principal)) return false
  return x.before === null || token.issuedMs < x.before
}

const isShown = <F extends TokenFilters>({ filters, audiences }: Asked<F>, token: ModelToken): boolean => {
  const { record, issuedMs } = token
  if (filters.agentId !== null && record.agentId !== filters.agentId) return false
  if (filters.clientId !== null && record.clientId !== filters.clientId) return false
  if (filters.scope !== null && !record.scope.split(' ').includes(filters.scope)) return false
  if (filters.issuedAfter !== null && issuedMs < filters.issuedAfter) return false
  if (filters.issuedBefore !== null && issuedMs >= filters.issuedBefore) return false
  if (filters.subjectId !== null && subjectClaim(record.subject) !== filters.subjectId) return false
  if (filters.parentId !== null && token.parent?.record.id !== filters.parentId) return false
  if (filters.rootId !== null && rootOf(token).record.id !== filters.rootId) return false
  if (filters.credentialId !== null && record.credentialId !== filters.credentialId) return false
  if (filters.kid !== null && record.kid !== filters.kid) return false
  if (filters.agents !== null && !filters.agents.includes(token.agent)) return false
  if (filters.audience !== null && !record.audience.includes(filters.audience)) return false
  return audiences === null || record.audience.some(audience => audiences.includes(audience))
}

/** Whether the token ended with an ancestor that is for none of the audiences: then its act is nobody's. */
const isOfHiddenAct = ({ ancestors }: TokenRecord, { ancestorId }: Ending, audiences: readonly string[]): boolean => {
  const ancestor = ancestors.find(({ id }) => id === ancestorId)
  return ancestor !== undefined && !ancestor.audience.some(audience => audiences.includes(audience))
}

const isShownEnding = ({ filters, audiences }: Asked<HistoryFilters>, token: ModelToken, ending: Ending): boolean => {
  const { reason, endedAt, endedBy, revocationId } = ending
  const asksForAct = filters.endedBy !== null || filters.revocationId !== null
  if (asksForAct && audiences !== null && isOfHiddenAct(token.record, ending, audiences)) return false
  if (filters.revocationId !== null && revocationId !== filters.revocationId) return false
  if (filters.endedBy !== null && !(endedBy?.type === 'cli' && endedBy.id === filters.endedBy)) return false
  if (filters.reasons !== null && !filters.reasons.includes(reason)) return false
  if (filters.endedAfter !== null && endedAt < filters.endedAfter) return false
  return filters.endedBefore === null || endedAt < filters.endedBefore
}

const endingOf = (token: ModelToken, now: number): Ending | null => {
  if (token.ending !== null || now < token.expiresMs) return token.ending
  return {
    endedAt: token.expiresMs,
    reason: 'expired',
    endedBy: null,
    note: null,
    revocationId: null,
    ancestorId: null,
  }
}

const actorsOf = (agentId: string, parent: ModelToken | null, principal: Names['principal']): readonly string[] => {
  if (parent === null) return principal === null ? [] : [agentId]
  const { agentId: holder, actors } = parent.record
  return holder === agentId ? actors : [agentId, ...actors]
}

const descending = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? 1 : -1
}

/** What the store knows by the numbers of a new token. */
export type Names = {
  readonly credentialId: string
  readonly kid: string
  readonly principal: { readonly number: number; readonly issuer: number; readonly shown: Principal } | null
}

type Issue = Names & { readonly now: number; readonly parent: ModelToken | null }

const tokenOf = (
  agent: TestAgent,
  issued: NewToken,
  { now, parent, credentialId, kid, principal }: Issue,
): ModelToken => {
  const { id, scope, audience, lifetimeSeconds } = issued
  const issuedAt = Math.floor(now / 1000)
  const expiresAt = issuedAt + lifetimeSeconds
  const owner = { agentId: agent.id, clientId: agent.clientId, credentialId }
  const above = parent === null ? [] : [parent, ...ancestorsOf(parent)]
  const lineage = {
    subject: above.at(-1)?.record.subject ?? principal?.shown ?? { agentId: agent.id },
    actors: actorsOf(agent.id, parent, principal),
    ancestors: above.map(({ record, seq }) => {
      const { id: ancestorId, audience: aud, expiresAt: exp, agentId } = record
      const { credentialId: got, kid: signed } = record
      return { id: ancestorId, audience: aud, expiresAt: exp, seq, agentId, credentialId: got, kid: signed }
    }),
  }
  return {
    record: { id, ...owner, scope, audience, kid, issuedAt, expiresAt, ...lineage },
    lifetimeSeconds,
    issuedMs: now,
    expiresMs: 1000 * expiresAt,
    agent: issued.agent,
    credential: issued.credential,
    key: issued.signingKey,
    principal: parent === null ? (principal?.number ?? null) : parent.principal,
    issuer: parent === null ? (principal?.issuer ?? null) : parent.issuer,
    seq: issued.seq,
    parent,
    ending: null,
  }
}

export const makeListModel = () => {
  const tokens: ModelToken[] = []
  const byId = new Map<string, ModelToken>()

  const add = (agent: TestAgent, issued: NewToken, { now, ...names }: Names & { readonly now: number }): void => {
    const parent = issued.parent === undefined ? null : (byId.get(issued.parent.id) ?? null)
    const token = tokenOf(agent, issued, { now, parent, ...names })
    tokens.push(token)
    byId.set(issued.id, token)
  }

  const isLive = (token: ModelToken, now: number): boolean => endingOf(token, now) === null

  const endOne = (token: ModelToken, { at, reason, act, revocationId = null }: Ended): 'ended' | 'already_ended' => {
    if (!isLive(token, at)) return 'already_ended'
    token.ending = { endedAt: at, reason, endedBy: act.actor, note: act.note, revocationId, ancestorId: null }
    return 'ended'
  }

  /** What lives and has an ancestor among those that an act ended ends with the nearest of them. */
  const endBelow = (ended: ReadonlySet<ModelToken>, { at, act, revocationId = null }: Ended): void => {
    for (const token of tokens) {
      const ancestor = ancestorsOf(token).find(one => ended.has(one))
      if (ancestor === undefined || !isLive(token, at)) continue
      const above = { reason: 'ancestor_ended', ancestorId: ancestor.record.id } as const
      token.ending = { endedAt: at, endedBy: act.actor, note: act.note, revocationId, ...above }
    }
  }

  const end = (token: ModelToken, ended: Ended): 'ended' | 'already_ended' => {
    const outcome = endOne(token, ended)
    if (outcome === 'ended') endBelow(new Set([token]), ended)
    return outcome
  }

  const endAll = (conditions: CutOffConditions, ended: Ended): void => {
    const covered = tokens.filter(token => isCovered(conditions, token) && endOne(token, ended) === 'ended')
    endBelow(new Set(covered), ended)
  }

  /** How many tokens an act on these conditions would end. */
  const countEndable = (conditions: CutOffConditions, now: number): number => {
    const living = tokens.filter(token => isLive(token, now))
    const covered = new Set(living.filter(token => isCovered(conditions, token)))
    return living.filter(token => covered.has(token) || ancestorsOf(token).some(one => covered.has(one))).length
  }

  /** The tree of a token, in any order. */
  const treeOf = (member: ModelToken): readonly ModelToken[] => tokens.filter(one => rootOf(one) === rootOf(member))

  const live = (asked: Asked<TokenFilters>, now: number): readonly TokenRecord[] =>
    tokens
      .filter(token => isLive(token, now) && isShown(asked, token))
      .map(({ record }) => record)
      .toSorted((a, b) => descending(a.id, b.id))

  const ended = (asked: Asked<HistoryFilters>, now: number): readonly EndedTokenRecord[] =>
    tokens
      .flatMap(token => {
        const ending = endingOf(token, now)
        const shown = ending !== null && isShown(asked, token) && isShownEnding(asked, token, ending)
        return shown ? [{ ...token.record, ...ending }] : []
      })
      .toSorted((a, b) => b.endedAt - a.endedAt || descending(a.id, b.id))

  return { tokens, byId, add, isLive, endingOf, end, endAll, countEndable, treeOf, live, ended }
}

export type ListModel = ReturnType<typeof makeListModel>
