// Decides which key a token is bound to: none, that of its DPoP proof (RFC 9449), or that of the client's certificate (RFC 8705 §3).
import type { Agent } from '../../domain/clients/agent.ts'
import type { Confirmation } from '../../domain/ledger/claims.ts'
import { type PresentedCertificate, validityFault } from '../../domain/clients/client-certificate.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { TokenProof } from '../../ports/ports.ts'

/** What a request brought to bind its token to. */
export type Bindable = {
  /** Checked, but for whether it was used before. */
  readonly proof?: TokenProof
  /** Of the connection. */
  readonly certificate?: PresentedCertificate
}

const PROOF_WANTED = 'This agent gets no bearer tokens: send a DPoP proof.'
const CERTIFICATE_WANTED =
  'This agent gets no token without a client certificate: make the TLS connection with one (RFC 8705).'
const ONE_KEY = 'The tokens of this agent are bound to its certificate: send no DPoP proof.'

/** Anybody may have signed the certificate (RFC 8705 §3): that its holder asks again is all that is proved. */
const bindToCertificate = (
  { proof, certificate }: Bindable,
  now: Milliseconds,
): OrRefusal<{ readonly cnf: Confirmation }> => {
  // RFC 7800 §3: one key confirms a token, and a resource server that knows of one of two would take it for bound to that.
  if (proof !== undefined) return refuse('invalid_dpop_proof', ONE_KEY)
  if (certificate === undefined) return refuse('invalid_request', CERTIFICATE_WANTED)
  const outOfTime = validityFault(certificate, now)
  return outOfTime === null
    ? { cnf: { 'x5t#S256': certificate.thumbprint } }
    : refuse('invalid_request', `No token is bound to this client certificate: ${outOfTime}.`)
}

/** What the agent's token is bound to, or why it gets none so. */
export const bindToken = (
  agent: Pick<Agent, 'dpopBound' | 'certificateBound'>,
  bindable: Bindable,
  now: Milliseconds,
): OrRefusal<{ readonly cnf?: Confirmation }> => {
  if (agent.certificateBound) return bindToCertificate(bindable, now)
  const { proof } = bindable
  if (proof !== undefined) return { cnf: { jkt: proof.jkt } }
  // RFC 9449 §5.2.
  return agent.dpopBound ? refuse('invalid_dpop_proof', PROOF_WANTED) : {}
}
