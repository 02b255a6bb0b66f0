// What the certificate of a TLS client says, and whether it is what a credential trusts (RFC 8705 §2).
import type { SubjectKind } from '../../../../api/values/credentials.ts'
import { normalSubject } from '../../../../api/values/subject-name.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** A certificate of an authority that is trusted, with this name (RFC 8705 §2.1). */
type SubjectTrust = { readonly kind: 'tls_client_auth'; readonly by: SubjectKind; readonly name: string }

/** One of these certificates, whoever signed it (RFC 8705 §2.2). */
type PinnedTrust = { readonly kind: 'self_signed_tls_client_auth'; readonly thumbprints: readonly string[] }

export type CertificateTrust = SubjectTrust | PinnedTrust

/** As far as it is read. */
export type ClientCertificate = {
  /** SHA-256 of its DER, base64url (RFC 8705 §3.1). */
  readonly thumbprint: string
  /** In the normal form of {@link normalSubject}; what has none is left out. */
  readonly names: Readonly<Record<SubjectKind, readonly string[]>>
  /** Why its key proves nothing; null where nothing is known against it. */
  readonly weakness: string | null
  readonly notBefore: Milliseconds
  /** The beginning of the last second in which it is valid. */
  readonly notAfter: Milliseconds
}

/** One whose key the client of a connection holds. */
export type PresentedCertificate = ClientCertificate & {
  /** Whether a chain to an authority that is trusted was verified, by this service or by the proxy that it trusts. */
  readonly isVerified: boolean
}

/** Of which certificates the service hears: those that an authority vouches for, and others. */
export type CertificateSources = { readonly verified: boolean; readonly unverified: boolean }

/** Why nothing is done with a certificate at `now`; null where its time is (RFC 5280 §4.1.2.5) and its key is strong. */
export const validityFault = (
  { weakness, notBefore, notAfter }: ClientCertificate,
  now: Milliseconds,
): string | null => {
  if (weakness !== null) return `the key of the certificate is ${weakness}`
  // A time that is none is no time either.
  if (!(now >= notBefore)) return 'the certificate is not valid yet'
  return now < notAfter + 1000 ? null : 'the certificate has expired'
}

const isNamed = ({ names }: ClientCertificate, { by, name }: SubjectTrust): boolean => {
  const wanted = normalSubject(by, name)
  return wanted !== undefined && names[by].includes(wanted)
}

/** Why the certificate is not what is trusted; null where it is. */
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
