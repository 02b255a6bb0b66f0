// Whether the caller holds the key that the token is bound to (RFC 9449 §7.1, RFC 8705 §3).
import { type Refusal, isRefusal, refusal } from '../refusals.ts'
import type { Claims } from '../readers/claim-types.ts'
import type { Asked } from '../verifier.ts'
import { type Certificate, thumbprintOf } from './certificate.ts'
import { checkProof, type Presented } from './dpop.ts'
import type { ProofMemory } from './replays.ts'
import { inTime } from '../wire/deadline.ts'
import { describeFault } from '../wire/http.ts'
import type { Runtime } from '../wire/runtime.ts'

type Bound = {
  readonly token: string
  readonly claims: Claims
  readonly asked: Asked
  /** Undefined where the time is not known well enough to judge a proof. */
  readonly nowMs: number | undefined
}

type Proofs = {
  readonly proofs: ProofMemory
  readonly runtime: Runtime
  readonly report: (problem: string) => void
}

const checkKey = async (
  { proofs, runtime, report }: Proofs,
  presented: Presented,
  { token, claims, nowMs, jkt }: Bound & { readonly jkt: string },
): Promise<Refusal | undefined> => {
  if (nowMs === undefined) return refusal('stale', 'A clock of this machine was set, so no proof can be judged.')
  const proven = await checkProof(presented, { token, clientId: claims.client_id, jkt, nowMs })
  if (isRefusal(proven)) return proven
  try {
    const seen = await inTime(runtime.after, async () => proofs(proven, nowMs))
    if (seen === 'first') return undefined
    if (seen === 'again') return refusal('replayed_proof', 'The proof came before.')
    if (seen === 'full') return refusal('proofs_unavailable', 'There is no room to remember the proof.')
    throw new Error('It answered none of: first, again, full.')
  } catch (fault) {
    report(`The store of proofs failed: ${describeFault(fault)}`)
    return refusal('proofs_unavailable', 'The store of proofs failed.')
  }
}

const checkCertificate = async (
  certificate: Certificate | undefined,
  thumbprint: string,
): Promise<Refusal | undefined> => {
  if (certificate === undefined) return refusal('wrong_certificate', 'The request has no certificate.')
  return (await thumbprintOf(certificate)) === thumbprint
    ? undefined
    : refusal('wrong_certificate', 'The certificate of the request is another one.')
}

/** Why a token that is bound, or came by the scheme DPoP, is refused; undefined where its caller holds the key. */
export const checkBinding = async (proofs: Proofs, bound: Bound): Promise<Refusal | undefined> => {
  const { claims, asked } = bound
  const { cnf } = claims
  if (cnf !== undefined && 'jkt' in cnf) {
    return asked.dpop === undefined
      ? refusal('wrong_scheme', 'The token is bound to a DPoP key and came without a proof.')
      : checkKey(proofs, asked.dpop, { ...bound, jkt: cnf.jkt })
  }
  if (asked.dpop !== undefined)
    return refusal('wrong_scheme', 'The token came by the scheme DPoP and is not bound to a key.')
  return cnf === undefined ? undefined : checkCertificate(asked.certificate, cnf['x5t#S256'])
}
