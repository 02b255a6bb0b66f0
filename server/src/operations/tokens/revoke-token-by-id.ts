// Ends one token by its id: an operator never needs the text of a token to end it.
import type { TOKEN_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { showToken } from './read-tokens.ts'

type TokenRevocation = {
  readonly reason: (typeof TOKEN_REVOCATION_REASONS)[number]
  readonly note: string | null
}

/** `changed`: this act ended it. The first ending wins: its reason, time and note stay. */
export type TokenRevoked = TokenLife & { readonly changed: boolean }

/** The token, ended now or before. */
export const revokeTokenById = async (
  ports: Pick<Ports, 'ledger'>,
  origin: Origin,
  tokenId: string,
  { reason, note }: TokenRevocation,
): Promise<OrRefusal<TokenRevoked>> => {
  const life = await showToken(ports, origin.caller, tokenId, [])
  if (isRefused(life)) return life
  const { id, issuedAt, expiresAt } = life.token
  const act = actBy(origin, 'token.revoke', note)
  const outcome = await ports.ledger.end({ id, lifetimeSeconds: expiresAt - issuedAt }, reason, act)
  const revoked = await showToken(ports, origin.caller, tokenId)
  return isRefused(revoked) ? revoked : { ...revoked, changed: outcome === 'ended' }
}
