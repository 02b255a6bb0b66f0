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

/** Keys in one set that is registered. */
export const REGISTERED_KEYS_MAX = 10
/** Certificates that one credential pins. */
export const PINNED_CERTIFICATES_MAX = 10
/** The length of an address, an issuer, a subject or an audience. */
export const TRUST_CHARACTERS_MAX = 512
/** Before the `*`: a shorter beginning would trust too much of an issuer. */
export const PREFIX_CHARACTERS_MIN = 4

const PLAIN = /^[\x21-\x7e]+$/

/** Printable ASCII without blanks, which is compared as it is written. */
export const isPlainName = (text: string): boolean => text.length <= TRUST_CHARACTERS_MAX && PLAIN.test(text)

const SUBJECT_CHARACTER = '[\\x21-\\x29\\x2B-\\x7E]'

/** What `parseSubjectPattern` takes, as a regular expression. */
export const SUBJECT_PATTERN =
  `^(?:${SUBJECT_CHARACTER}{1,${TRUST_CHARACTERS_MAX}}|` +
  `${SUBJECT_CHARACTER}{${PREFIX_CHARACTERS_MIN},${TRUST_CHARACTERS_MAX - 1}}\\*)$`

type SubjectPattern = { readonly text: string; readonly isPrefix: boolean }

/** A subject, or its beginning and a `*`; undefined where it is neither. Of two such patterns it is plain whether they overlap. */
export const parseSubjectPattern = (subject: string): SubjectPattern | undefined => {
  if (!isPlainName(subject)) return undefined
  const isPrefix = subject.endsWith('*')
  const text = isPrefix ? subject.slice(0, -1) : subject
  if (text.includes('*') || (isPrefix && text.length < PREFIX_CHARACTERS_MIN)) return undefined
  return { text, isPrefix }
}
