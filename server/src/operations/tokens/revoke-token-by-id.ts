// Ends one token by its id: an operator never needs the text of a token to end it.
import { actBy, type Origin } from '../../domain/caller.ts'
import { isNote, NOTE_FORM } from '../../../../api/values/note.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import { TOKEN_REVOCATION_REASONS } from '../../../../api/values/reason.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { showToken } from './read-tokens.ts'

type TokenRevocationRequest = {
  /** One of TOKEN_REVOCATION_REASONS; null for the first of them. */
  readonly reason: string | null
  readonly note: string | null
}

/** The token, ended now or before. The first ending wins: its reason, time and note stay. */
export const revokeTokenById = async (
  ports: Pick<Ports, 'ledger'>,
  origin: Origin,
  tokenId: string,
  { reason, note }: TokenRevocationRequest,
): Promise<OrRefusal<TokenLife>> => {
  const given = TOKEN_REVOCATION_REASONS.find(name => name === (reason ?? TOKEN_REVOCATION_REASONS[0]))
  if (given === undefined) return refuse('invalid_request', `reason is not ${TOKEN_REVOCATION_REASONS.join(', ')}.`)
  if (note !== null && !isNote(note)) return refuse('invalid_request', `note is not ${NOTE_FORM}.`)
  const life = await showToken(ports, origin.caller, tokenId)
  if (isRefused(life)) return life
  const { id, issuedAt, expiresAt } = life.token
  await ports.ledger.end({ id, lifetimeSeconds: expiresAt - issuedAt }, given, actBy(origin, 'token.revoke', note))
  return showToken(ports, origin.caller, tokenId)
}
