// Finds which credential of a client trusts the certificate of its connection (RFC 8705 §2), or says why none does.
import type { Credential } from '../../domain/clients/agent.ts'
import {
  certificateFault,
  type CertificateTrust,
  type PresentedCertificate,
} from '../../domain/clients/client-certificate.ts'
import { isCertificateTrust } from '../../domain/clients/client-trust.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

const certificateTrustOf = ({ trust }: Credential): CertificateTrust | undefined =>
  trust !== null && isCertificateTrust(trust) ? trust : undefined

/** `known` are the credentials of the one client that the request names. */
export const findCertified = (
  certificate: PresentedCertificate,
  known: readonly Credential[],
  now: Milliseconds,
): { readonly found: Credential } | { readonly wrong: string } => {
  let wrong = 'the client has no live credential for certificates'
  for (const credential of known) {
    const trust = certificateTrustOf(credential)
    if (trust === undefined || hasExpired(credential.expiresAt, now)) continue
    const fault = certificateFault(trust, certificate, now)
    if (fault === null) return { found: credential }
    wrong = fault
  }
  return { wrong }
}
