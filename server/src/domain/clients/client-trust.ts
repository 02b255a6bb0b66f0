// What a credential trusts instead of a secret: keys of the client, tokens of a workload's issuer, or TLS certificates.
import { parseSubjectPattern } from '../../../../api/values/credentials.ts'
import type { CertificateTrust } from './client-certificate.ts'

/** The public members of a key that a client registered (RFC 7517 §4). */
export type RegisteredJwk = Readonly<Record<string, string>>

/** Assertions signed by the client, with one of the given keys or of those at the URL: one of the two is null. */
type KeyTrust = {
  readonly kind: 'private_key_jwt'
  readonly jwks: readonly RegisteredJwk[] | null
  readonly jwksUri: string | null
  /** Whether `aud` may also be the token endpoint instead of the issuer. */
  readonly takesTokenEndpoint: boolean
}

/** Tokens that another issuer issues to a workload. */
export type WorkloadTrust = {
  readonly kind: 'workload_identity'
  /** Compared with `iss` exactly. */
  readonly issuer: string
  /** Compared with `sub`; with a trailing `*`, as a prefix. */
  readonly subject: string
  /** `aud` of the tokens; null: the issuer of this service. */
  readonly audience: string | null
  /** Null where the metadata of the issuer names it. */
  readonly jwksUri: string | null
}

export type AssertionTrust = KeyTrust | WorkloadTrust

export type ClientTrust = AssertionTrust | CertificateTrust

/** What a client shows that has this kind of credential. */
const SHOWN = {
  private_key_jwt: 'assertion',
  workload_identity: 'assertion',
  tls_client_auth: 'certificate',
  self_signed_tls_client_auth: 'certificate',
} as const satisfies Readonly<Record<ClientTrust['kind'], string>>

export const isAssertionTrust = (trust: ClientTrust): trust is AssertionTrust => SHOWN[trust.kind] === 'assertion'

export const isCertificateTrust = (trust: ClientTrust): trust is CertificateTrust => SHOWN[trust.kind] === 'certificate'

/** The location of the keys. */
export type KeyPlace = Pick<KeyTrust, 'jwks' | 'jwksUri'> & { readonly issuer: string | null }

export const keyPlaceOf = (trust: AssertionTrust): KeyPlace =>
  trust.kind === 'private_key_jwt'
    ? { jwks: trust.jwks, jwksUri: trust.jwksUri, issuer: null }
    : { jwks: null, jwksUri: trust.jwksUri, issuer: trust.issuer }

const SPIFFE = /^spiffe:\/\/[a-z0-9._-]{1,255}/

/** The trust domain of a SPIFFE id, as `spiffe://domain`; undefined if the text is not one. */
export const trustDomainOf = (subject: string): string | undefined => SPIFFE.exec(subject)?.[0]

const keysOf = (trust: ClientTrust): readonly unknown[] =>
  trust.kind === 'private_key_jwt'
    ? [...(trust.jwks ?? []).map(jwk => jwk['n'] ?? jwk['x'] ?? jwk['pub']), trust.jwksUri]
    : []

const certificatesOf = (trust: ClientTrust): readonly unknown[] => {
  if (trust.kind === 'tls_client_auth') return [`${trust.by} ${trust.name}`]
  return trust.kind === 'self_signed_tls_client_auth' ? trust.thumbprints : []
}

const overlap = (one: WorkloadTrust, other: WorkloadTrust): boolean => {
  const [a, b] = [parseSubjectPattern(one.subject), parseSubjectPattern(other.subject)]
  if (one.issuer !== other.issuer || a === undefined || b === undefined) return false
  return a.text === b.text || (a.isPrefix && b.text.startsWith(a.text)) || (b.isPrefix && a.text.startsWith(b.text))
}

/** Whether something is trusted by both: a key, a workload or a certificate, however else the two are written. */
export const sharesTrust = (one: ClientTrust | null, other: ClientTrust | null): boolean => {
  if (one === null || other === null) return false
  if (one.kind === 'workload_identity' && other.kind === 'workload_identity') return overlap(one, other)
  const shown = [...keysOf(other), ...certificatesOf(other)]
  return [...keysOf(one), ...certificatesOf(one)].some(some => typeof some === 'string' && shown.includes(some))
}

/** The JSON of a trust, with the names of the wire. */
export const trustRecord = (trust: ClientTrust | null) => {
  if (trust === null) return { kind: 'client_secret' as const }
  if (trust.kind === 'private_key_jwt') {
    const { kind, jwks, jwksUri, takesTokenEndpoint } = trust
    const keys = jwks === null ? { jwks_uri: jwksUri ?? '' } : { jwks: { keys: jwks } }
    return { kind, private_key_jwt: { ...keys, accept_token_endpoint: takesTokenEndpoint } }
  }
  if (trust.kind === 'tls_client_auth') return { kind: trust.kind, tls_client_auth: { [trust.by]: trust.name } }
  if (trust.kind === 'self_signed_tls_client_auth') {
    return { kind: trust.kind, self_signed_tls_client_auth: { thumbprints: trust.thumbprints } }
  }
  const { kind, issuer, subject, audience, jwksUri } = trust
  return { kind, workload_identity: { issuer, subject, audience, jwks_uri: jwksUri } }
}
