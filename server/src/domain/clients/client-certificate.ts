// The certificate of a TLS client, and whether it matches a credential (RFC 8705 §2).
import type { SubjectKind } from '../../../../api/values/credentials.ts'
import { normalSubject } from '../../../../api/values/subject-name.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** A certificate of a trusted authority with this name (RFC 8705 §2.1). */
type SubjectTrust = { readonly kind: 'tls_client_auth'; readonly by: SubjectKind; readonly name: string }

/** One of these certificates, signed by any issuer (RFC 8705 §2.2). */
type PinnedTrust = { readonly kind: 'self_signed_tls_client_auth'; readonly thumbprints: readonly string[] }

export type CertificateTrust = SubjectTrust | PinnedTrust

/** The parts of a certificate that are used. */
export type ClientCertificate = {
  /** SHA-256 of its DER, base64url (RFC 8705 §3.1). */
  readonly thumbprint: string
  /** Its names in the normal form of {@link normalSubject}; names without one are omitted. */
  readonly names: Readonly<Record<SubjectKind, readonly string[]>>
  /** Why its key is too weak; null if it is not known to be. */
  readonly weakness: string | null
  readonly notBefore: Milliseconds
  /** The start of the last second in which it is valid. */
  readonly notAfter: Milliseconds
}

/** A certificate whose key the client of a connection has proven. */
export type PresentedCertificate = ClientCertificate & {
  /** Whether a chain to a trusted authority was verified, by this service or by a trusted proxy. */
  readonly isVerified: boolean
}

/** Which certificates reach the service: verified ones, unverified ones. */
export type CertificateSources = { readonly verified: boolean; readonly unverified: boolean }

/** Why a certificate is unusable at `now`; null if it is valid by its dates (RFC 5280 §4.1.2.5) and its key is strong. */
export const validityFault = (
  { weakness, notBefore, notAfter }: ClientCertificate,
  now: Milliseconds,
): string | null => {
  if (weakness !== null) return `the key of the certificate is ${weakness}`
  // An invalid time (NaN) is refused.
  if (!(now >= notBefore)) return 'the certificate is not valid yet'
  return now < notAfter + 1000 ? null : 'the certificate has expired'
}

const isNamed = ({ names }: ClientCertificate, { by, name }: SubjectTrust): boolean => {
  const wanted = normalSubject(by, name)
  return wanted !== undefined && names[by].includes(wanted)
}

/** Why the certificate does not match the trust; null if it does. */
export const certificateFault = (
  trust: CertificateTrust,
  presented: PresentedCertificate,
  now: Milliseconds,
): string | null => {
  const outOfTime = validityFault(presented, now)
  if (outOfTime !== null) return outOfTime
  if (trust.kind === 'self_signed_tls_client_auth') {
    return trust.thumbprints.includes(presented.thumbprint) ? null : 'the certificate is none of those of the client'
  }
  if (!presented.isVerified) return 'no authority that is trusted vouches for the certificate'
  return isNamed(presented, trust) ? null : `the certificate has not the ${trust.by} of the client`
}
