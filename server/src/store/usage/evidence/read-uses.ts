// Lists where tokens were used, and which of them after their end.
import type { LateUse, LateUseFilters, TokenUse, TokenUseFilters } from '../../../domain/clients/token-use.ts'
import type { Page, PageRequest } from '../../../domain/lists/page.ts'
import { numberOf } from '../../lists/asked-numbers.ts'
import { readNewest, type Scan } from '../../lists/newest-first.ts'
import { bytesOfId, idOfBytes } from '../../rows.ts'
import type { Program } from '../../statement-program.ts'

type UseRow = Omit<TokenUse, 'isOutside' | 'minute'> & { readonly at: number; readonly outside: number }

const namesOf = (table: string): string =>
  `(select id from agent where agent.n = ${table}.agent) as "agentId",
    (select id from api_key where api_key.n = ${table}.api_key) as "apiKeyId",
    (select name from api_key where api_key.n = ${table}.api_key) as "apiKeyName"`

const USES = {
  table: 'token_use',
  columns: `n as number, at, outside, active, inactive, after_end as "afterEnd", uses, first_at as "firstAt",
    last_at as "lastAt", ${namesOf('token_use')}`,
} as const

const LATE = {
  table: 'late_use',
  columns: `n as number, at, outside, expired, count, token, first_at as "firstAt", ${namesOf('late_use')}`,
} as const

const useOf = ({ at, outside, ...rest }: UseRow): TokenUse => ({ ...rest, minute: at, isOutside: outside === 1 })

type LateRow = Omit<LateUse, 'isOutside' | 'isExpired' | 'tokenId' | 'lastAt'> &
  Readonly<Record<'at' | 'outside' | 'expired', number>> & { readonly token: Uint8Array }

const lateOf = ({ at, outside, expired, token, ...rest }: LateRow): LateUse => ({
  ...rest,
  tokenId: idOfBytes(token),
  isOutside: outside === 1,
  isExpired: expired === 1,
  lastAt: at,
})

type Numbers = { readonly agent: number | null; readonly apiKey: number | null; readonly isLimited: boolean }

/** Returns the numbers that the filters name; undefined if a name does not exist, so that nothing can match. */
function* numbersOf({ agentId, apiKeyId, onlyThrough }: TokenUseFilters): Program<Numbers | undefined> {
  const through = apiKeyId ?? onlyThrough
  if (onlyThrough !== null && through !== onlyThrough) return undefined
  const agent = yield* numberOf('agent', agentId)
  const apiKey = yield* numberOf('apiKey', through)
  return agent === undefined || apiKey === undefined ? undefined : { agent, apiKey, isLimited: onlyThrough !== null }
}

/** The index of what the fewest rows have; for a caller who sees one API key alone that of the key, so that no page counts others. */
const scanOf = (list: Pick<Scan, 'table' | 'columns'>, { agent, apiKey, isLimited }: Numbers): Scan => {
  if (agent !== null && !isLimited)
    return { ...list, index: `${list.table}_agent`, only: { column: 'agent', value: agent } }
  if (apiKey !== null) return { ...list, index: `${list.table}_key`, only: { column: 'api_key', value: apiKey } }
  return { ...list, index: `${list.table}_at`, only: null }
}

const scanOfToken = (tokenId: string): Scan => ({
  ...LATE,
  index: 'late_use_token',
  only: { column: 'token', value: bytesOfId(tokenId) },
})

const NOTHING = { records: [], next: null, examined: 0 }

type Shown = Pick<TokenUse, 'agentId' | 'apiKeyId' | 'isOutside'>

const isAskedFor = ({ agentId, apiKeyId, onlyThrough }: TokenUseFilters, one: Shown): boolean =>
  (agentId === null || one.agentId === agentId) &&
  (apiKeyId === null || one.apiKeyId === apiKeyId) &&
  (onlyThrough === null || (one.apiKeyId === onlyThrough && !one.isOutside))

// Each minute has a row of all others, most of them with nothing.
const isUsed = ({ active, inactive, uses }: TokenUse): boolean => active + inactive + uses > 0

export function* listUses(request: PageRequest<TokenUseFilters>): Program<Page<TokenUse>> {
  const numbers = yield* numbersOf(request.filters)
  if (numbers === undefined) return NOTHING
  const keeps = (one: TokenUse): boolean => isUsed(one) && isAskedFor(request.filters, one)
  return yield* readNewest<UseRow, TokenUse>({ scan: scanOf(USES, numbers), read: useOf, keeps }, request)
}

export function* listLateUses(request: PageRequest<LateUseFilters>): Program<Page<LateUse>> {
  const { filters } = request
  const numbers = yield* numbersOf(filters)
  if (numbers === undefined) return NOTHING
  const scan = filters.tokenId === null ? scanOf(LATE, numbers) : scanOfToken(filters.tokenId)
  return yield* readNewest<LateRow, LateUse>({ scan, read: lateOf, keeps: one => isAskedFor(filters, one) }, request)
}
