// What the filters of tokens name by ids, by the numbers that tokens carry.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { parseIssuerSubject } from '../../../../api/values/subject.ts'
import type { TokenFilters } from '../../domain/lists/page.ts'
import { numberOfPrincipal } from '../ledger/principals.ts'
import { first, only, type Program } from '../statement-program.ts'

const NUMBER = {
  agent: 'select n from agent where id = ?',
  credential: 'select n from credential where id = ?',
  apiKey: 'select n from api_key where id = ?',
  key: 'select n from signing_key where kid = ?',
} as const

/** Null where nothing is named; undefined where nothing has that name. */
export function* numberOf(what: keyof typeof NUMBER, name: string | null): Program<number | null | undefined> {
  return name === null ? null : (yield* first<{ n: number }>(NUMBER[what], name))?.n
}

/** A signing key, and the times between which the tokens were issued that it signed. */
type SigningPeriod = {
  readonly number: number
  /** Null where that is not known. */
  readonly issuedAfter: Milliseconds | null
  readonly issuedBefore: Milliseconds | null
}

// A process may have learned later which key signs, and its clock may differ from that of the store.
const PERIOD_MARGIN_MS = 60_000

const PERIOD = 'select n, signs_from as "signsFrom", signs_until as "signsUntil" from signing_key where kid = ?'

type PeriodRow = { readonly n: number; readonly signsFrom: number | null; readonly signsUntil: number | null }

/** Null where no key is named; undefined where none has the name. */
function* periodOf(kid: string | null): Program<SigningPeriod | null | undefined> {
  if (kid === null) return null
  const row = yield* first<PeriodRow>(PERIOD, kid)
  if (row === undefined) return undefined
  const { n: number, signsFrom, signsUntil } = row
  return {
    number,
    issuedAfter: signsFrom === null ? null : Math.max(0, signsFrom - PERIOD_MARGIN_MS),
    issuedBefore: signsUntil === null ? null : signsUntil + PERIOD_MARGIN_MS,
  }
}

/** What a token must have; null: anything. */
export type AskedNumbers = {
  /** The agent whose token it is. */
  readonly holder: number | null
  /** It is one of these agents. */
  readonly holders: ReadonlySet<number> | null
  /** The agent for whom it acts, or the principal. */
  readonly subject: number | null
  readonly principal: number | null
  readonly credential: number | null
  readonly key: SigningPeriod | null
}

export const ANY_NUMBERS: AskedNumbers = {
  holder: null,
  holders: null,
  subject: null,
  principal: null,
  credential: null,
  key: null,
}

type AgentKeys = { readonly n: number; readonly clientId: string }

// Null: any agent. Undefined: no agent has this id, this client id, or both.
function* agentNumber({
  agentId,
  clientId,
}: Pick<TokenFilters, 'agentId' | 'clientId'>): Program<number | null | undefined> {
  if (agentId === null && clientId === null) return null
  const [column, value] = agentId === null ? ['client_id', clientId] : ['id', agentId]
  const row = yield* first<AgentKeys>(`select n, client_id as "clientId" from agent where ${column} = ?`, value)
  return row === undefined || (clientId !== null && row.clientId !== clientId) ? undefined : row.n
}

/** Undefined where no agent has the id, or no token is kept that acts for the principal. */
function* subjectNumbers(sub: string | null): Program<Pick<AskedNumbers, 'subject' | 'principal'> | undefined> {
  const named = sub === null ? undefined : parseIssuerSubject(sub)
  const n = named === undefined ? yield* numberOf('agent', sub) : yield* numberOfPrincipal(named)
  if (n === undefined) return undefined
  return named === undefined ? { subject: n, principal: null } : { subject: null, principal: n }
}

const OWNER = 'select agent from credential where n = ?'

/** Undefined where nothing has one of the ids, or no token can have all of them. */
export function* readAskedNumbers(filters: TokenFilters): Program<AskedNumbers | undefined> {
  const agent = yield* agentNumber(filters)
  const subject = yield* subjectNumbers(filters.subjectId)
  const credential = yield* numberOf('credential', filters.credentialId)
  const key = yield* periodOf(filters.kid)
  if (agent === undefined || subject === undefined || credential === undefined || key === undefined) return undefined
  // The tokens of a credential are reached as those of its agent.
  const holder = credential === null ? agent : (yield* only<{ agent: number }>(OWNER, credential)).agent
  if (agent !== null && agent !== holder) return undefined
  const holders = filters.agents === null ? null : new Set(filters.agents)
  const isNobody = holders !== null && (holder === null ? holders.size === 0 : !holders.has(holder))
  return isNobody ? undefined : { holder, holders, ...subject, credential, key }
}
