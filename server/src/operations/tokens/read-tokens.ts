// Reads tokens: lists of the live and of the ended ones, newest first, in pages that stay stable while tokens come and go; and
// the whole life of one.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import { isTokenId } from '../../domain/ledger/token-id.ts'
import type { EndedTokenRecord, HistoryFilters, TokenFilters, TokenLife, TokenRecord } from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

type ListPorts = Pick<Ports, 'ledger' | 'secrets'>

/** One page of the tokens that are active now and that the reader may see. */
export const listTokens = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<TokenFilters>,
): Promise<OrRefusal<ListPage<TokenRecord>>> =>
  readPage(ports, 'tokens', { reader, request, read: page => ports.ledger.listLive(page) })

/** One page of the tokens that have ended, those that merely expired too, and that the reader may see. */
export const listHistory = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<HistoryFilters>,
): Promise<OrRefusal<ListPage<EndedTokenRecord>>> =>
  readPage(ports, 'history', { reader, request, read: page => ports.ledger.listEnded(page) })

/** The token, live or ended. One for other audiences than the caller's does not exist for the caller. */
export const showToken = async (
  ports: Pick<Ports, 'ledger'>,
  caller: Administrator,
  tokenId: string,
): Promise<OrRefusal<TokenLife>> => {
  const life = isTokenId(tokenId) ? await ports.ledger.show(tokenId) : undefined
  const audiences = audiencesOf(caller)
  const isSeen = audiences === null || life?.token.audience.some(audience => audiences.includes(audience))
  if (life === undefined || isSeen !== true) return refuse('not_found', 'No token has this id, or none that is kept.')
  return life
}
