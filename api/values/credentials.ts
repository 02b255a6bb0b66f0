// Credentials in the contract: what a client may be recognized by, why one ends, and bounds.

export const TRUST_KINDS = [
  'private_key_jwt',
  'workload_identity',
  'tls_client_auth',
  'self_signed_tls_client_auth',
] as const

/** By which name of a certificate an agent is known (RFC 8705 §2.1.2), as the metadata of clients calls them. */
export const SUBJECT_KINDS = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'] as const

export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** Why a credential is revoked, and what its tokens end with. */
export const CREDENTIAL_REASONS = ['credential_revoked', 'secret_leaked'] as const

export type CredentialReason = (typeof CREDENTIAL_REASONS)[number]

/** How long the old secret may live beside the new one after a rotation. */
export const GRACE_SECONDS_MAX = 30 * 86_400

/** The one type of assertion that is taken (RFC 7523 §2.2). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Secrets in one report. */
export const LEAKED_SECRETS_MAX = 1000
