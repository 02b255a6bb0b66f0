// Shows one token, and ends it, by its id: an operator never needs the text of a token.
import type { TOKEN_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { actBy, type Administrator, audiencesOf, type Origin } from '../../domain/caller.ts'
import { isTokenId } from '../../domain/ledger/token-id.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'

/** The whole life of a token, live or ended. One for other audiences than the caller's does not exist for them. */
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

type TokenRevocation = {
  readonly reason: (typeof TOKEN_REVOCATION_REASONS)[number]
  readonly note: string | null
}

/** The token, ended now or before. The first ending wins: its reason, time and note stay. */
export const revokeTokenById = async (
  ports: Pick<Ports, 'ledger'>,
  origin: Origin,
  tokenId: string,
  { reason, note }: TokenRevocation,
): Promise<OrRefusal<TokenLife>> => {
  const life = await showToken(ports, origin.caller, tokenId)
  if (isRefused(life)) return life
  const { id, issuedAt, expiresAt } = life.token
  await ports.ledger.end({ id, lifetimeSeconds: expiresAt - issuedAt }, reason, actBy(origin, 'token.revoke', note))
  return showToken(ports, origin.caller, tokenId)
}
