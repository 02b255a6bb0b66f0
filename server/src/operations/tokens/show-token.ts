// Shows the whole life of one token, found by its id alone.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isTokenId } from '../../domain/ledger/token-id.ts'
import type { Ports } from '../../ports/ports.ts'

/** The token, live or ended. One for other audiences than the caller's does not exist for him. */
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
