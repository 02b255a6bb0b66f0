// Reads tokens: lists of the live and of the ended ones, newest first, in pages that stay stable while tokens come and go; and
// the whole life of one.
import { PAGE_RECORDS_MAX } from '../../../../api/values/lists.ts'
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import { isTokenId } from '../../domain/ledger/claims.ts'
import { kindsNamedTo } from '../../domain/lists/names.ts'
import type {
  EndedTokenRecord,
  HistoryFilters,
  LineageOf,
  LineageRecord,
  TokenFilters,
  TokenLife,
  TokenRecord,
} from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { hideAncestors, hideEnd, hideLife, hideMember, isFor, isNamedHidden } from './hide-lineage.ts'
import { type Asked, selectAgents } from './select-agents.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

type ListPorts = Pick<Ports, 'ledger' | 'secrets'>

const NOTHING = { records: [], next: null, examined: 0 }

/** One page of the tokens that are active now and that the reader may see. */
export const listTokens = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<Asked<TokenFilters>>,
): Promise<OrRefusal<ListPage<TokenRecord>>> =>
  readPage(ports, 'tokens', {
    reader,
    request,
    read: async page => {
      const filters = await selectAgents(ports, page.filters, { reader, among: 'kept' })
      if (isRefused(filters)) return filters
      const { records, ...rest } = await ports.ledger.listLive({ ...page, filters })
      if (records.some(record => isNamedHidden(record, filters, page.audiences))) return NOTHING
      return { ...rest, records: records.map(record => hideAncestors(record, page.audiences)) }
    },
  })

/** One page of the tokens that have ended, those that merely expired too, and that the reader may see. */
export const listHistory = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<Asked<HistoryFilters>>,
): Promise<OrRefusal<ListPage<EndedTokenRecord>>> =>
  readPage(ports, 'history', {
    reader,
    request,
    read: async page => {
      const { audiences } = page
      const filters = await selectAgents(ports, page.filters, { reader, among: 'ever' })
      if (isRefused(filters)) return filters
      const { records, ...rest } = await ports.ledger.listEnded({ ...page, filters })
      if (records.some(record => isNamedHidden(record, filters, audiences))) return NOTHING
      const ended = records.map(record => hideEnd(record, record, audiences))
      return { ...rest, records: ended.map(record => hideAncestors(record, audiences)) }
    },
  })

/** A number of tokens; where it is not exact there are at least so many. */
export type TokenCount = { readonly count: number; readonly isExact: boolean }

/** The records of one page as long as a page may be: it costs no more than to read that page. */
const countIn = <R>(page: OrRefusal<ListPage<R>>): OrRefusal<TokenCount> =>
  isRefused(page) ? page : { count: page.records.length, isExact: page.nextCursor === null }

/** How many tokens are active now that the reader may see, exact below PAGE_RECORDS_MAX. */
export const countTokens = async (
  ports: ListPorts,
  reader: Administrator,
  filters: Asked<TokenFilters>,
): Promise<OrRefusal<TokenCount>> =>
  countIn(await listTokens(ports, reader, { filters, limit: PAGE_RECORDS_MAX, cursor: null }))

/** How many tokens have ended that the reader may see; a lower bound where the page is shorter than its list. */
export const countHistory = async (
  ports: ListPorts,
  reader: Administrator,
  filters: Asked<HistoryFilters>,
): Promise<OrRefusal<TokenCount>> =>
  countIn(await listHistory(ports, reader, { filters, limit: PAGE_RECORDS_MAX, cursor: null }))

export const refuseUnknown = () => refuse('not_found', 'No token has this id, or none that is kept.')

/** The token, live or ended. One for other audiences than the caller's does not exist for the caller. */
export const showToken = async (
  ports: Pick<Ports, 'ledger'>,
  caller: Administrator,
  tokenId: string,
  named = kindsNamedTo(caller),
): Promise<OrRefusal<TokenLife>> => {
  const life = isTokenId(tokenId) ? await ports.ledger.show(tokenId, named) : undefined
  const audiences = audiencesOf(caller)
  return life === undefined || !isFor(life.token, audiences) ? refuseUnknown() : hideLife(life, audiences)
}

/** One page of the tree of a token; of members for other audiences than the caller's nothing is shown. */
export const listLineage = async (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<LineageOf>,
): Promise<OrRefusal<ListPage<LineageRecord>>> => {
  const member = await showToken(ports, reader, request.filters.memberId, [])
  if (isRefused(member)) return member
  return readPage(ports, 'lineage', {
    reader,
    request,
    read: async page => {
      const found = await ports.ledger.listLineage(page)
      if (found === undefined) return refuseUnknown()
      return { ...found, records: found.records.map(record => hideMember(record, page.audiences)) }
    },
  })
}
