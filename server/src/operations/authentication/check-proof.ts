// Checks the DPoP proof of a token request (RFC 9449 §5) after its client: the most expensive check comes last.
import { checkProofClaims, nonceLastInstant, nonceStepAt, refuseProof } from '../../domain/ledger/dpop.ts'
import { digestIn } from '../../domain/text/text.ts'
import { isRefused, type OrRefusal, type Refusal } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Ports, TokenProof } from '../../ports/ports.ts'
import type { NotGranted } from '../tokens/grant-token.ts'
import { type CheckedCredentials, findClient } from './recognize-client.ts'

/** `nonce` is for the client's next proof; null where none is demanded. */
type CheckedProof = { readonly proof: TokenProof; readonly nonce: string | null }

type ProofPorts = Pick<Ports, 'agents' | 'importedSecrets' | 'proofs' | 'profile' | 'secrets'>

const demandNonce = (nonce: string): { readonly refusal: Refusal } => ({
  refusal: {
    code: 'use_dpop_nonce',
    description: 'The DPoP proof needs the nonce that the header DPoP-Nonce of this answer holds.',
    nonce,
  },
})

/** The last instant of the nonce that the proof carries; where none is demanded nothing limits it. */
const checkNonce = (ports: ProofPorts, nonce: unknown, now: Milliseconds): OrRefusal<{ until: Milliseconds }> => {
  if (ports.profile.dpopNonce === 'off') return { until: Number.POSITIVE_INFINITY }
  const current = nonceStepAt(now)
  const step = [current, current - 1].find(one => ports.proofs.nonce(one) === nonce)
  return step === undefined ? demandNonce(ports.proofs.nonce(current)) : { until: nonceLastInstant(step) }
}

const checkText = async (ports: ProofPorts, text: string, now: Milliseconds): Promise<OrRefusal<CheckedProof>> => {
  // Node joins the values of a header that is given more than once (RFC 9449 §4.3, check 1).
  if (text.includes(',')) return refuseProof('there is more than one')
  const read = ports.proofs.read(text)
  if ('wrong' in read) return refuseProof(read.wrong)
  const claims = checkProofClaims(read.claims, `${ports.profile.issuer}/oauth/token`, now)
  if (isRefused(claims)) return claims
  const fresh = checkNonce(ports, claims.nonce, now)
  if (isRefused(fresh)) return fresh
  const verified = await read.verify()
  if ('wrong' in verified) return refuseProof(verified.wrong)
  const { jkt } = verified
  const id = digestIn(ports.secrets.hash(`${jkt} ${claims.jti}`))
  const nonce = ports.profile.dpopNonce === 'off' ? null : ports.proofs.nonce(nonceStepAt(now))
  return { proof: { jkt, id, until: Math.min(claims.until, fresh.until) }, nonce }
}

/**
 * The proof as its token needs it, or the refusal. Whether it was used before is decided when the token is written: the
 * proof of a request that is refused is not used up.
 */
export const checkProof = async (
  ports: ProofPorts,
  credentials: CheckedCredentials,
  text: string,
): Promise<CheckedProof | NotGranted> => {
  const cached = await findClient(ports, credentials, 'cached')
  // No refusal comes from a cache.
  const found = isRefused(cached) ? await findClient(ports, credentials, 'fresh') : cached
  if (isRefused(found)) return found
  const checked = await checkText(ports, text, found.now)
  return isRefused(checked) ? { ...checked, authenticated: found.client.number } : checked
}
