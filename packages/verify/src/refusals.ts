// Why a token is refused, as a closed union, and what each refusal is on the wire: status and challenge.

/** The errors of RFC 6750 §3.1 and RFC 9449 §7.1; null where a request without a token learns of none. */
type WireError = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | null

type Row = {
  readonly status: 400 | 401 | 403 | 500 | 503
  readonly error: WireError
  /** The text for the caller, who learns no more than it needs: ASCII without `"` and `\` (RFC 6750 §3). */
  readonly description: string
}

const NOT_VALID = 'The access token is not valid here.'
const NO_ANSWER = 'The token cannot be checked at the moment. Try again.'

const invalidToken = (description = NOT_VALID): Row => ({ status: 401, error: 'invalid_token', description })
const badProof = (description: string): Row => ({ status: 401, error: 'invalid_dpop_proof', description })
const unavailable: Row = { status: 503, error: null, description: NO_ANSWER }

const ROWS = {
  /** The request has no token. */
  missing_token: { status: 401, error: null, description: 'The request needs an access token.' },
  /** The header Authorization is not a scheme and one token. */
  invalid_request: {
    status: 400,
    error: 'invalid_request',
    description: 'The header Authorization must hold Bearer or DPoP and one access token.',
  },
  /** The text is not a compact JWS in its one spelling, is too long, or its header has other members. */
  malformed: invalidToken(),
  /** `typ` is not `at+jwt` (RFC 9068 §2.1). */
  wrong_type: invalidToken(),
  /** `alg` is none that is accepted, or not that of the key. */
  wrong_algorithm: invalidToken(),
  /** No key of the issuer has this `kid`. */
  unknown_key: invalidToken(),
  bad_signature: invalidToken(),
  /** A claim is missing, or is of another form than RFC 9068 §2.2 and Mintmark give it. */
  bad_claims: invalidToken(),
  wrong_issuer: invalidToken(),
  wrong_audience: invalidToken(),
  expired: invalidToken('The access token has expired.'),
  /** `nbf` or `iat` is in the future. */
  not_yet_valid: invalidToken(),
  /** The revocation feed says that the token, or a token that it was got from, has ended. */
  revoked: invalidToken(),
  /** Introspection says that the token is not active. */
  inactive: invalidToken(),
  /** The token is bound to a key and came by the scheme Bearer, or it is not bound and came by the scheme DPoP (RFC 9449 §7.2). */
  wrong_scheme: invalidToken('The access token does not fit the scheme.'),
  /** The proof is of another key than the one that the token is bound to. */
  wrong_key: invalidToken('The proof is not of the key of the access token.'),
  bad_proof: badProof('The DPoP proof is not valid for this request.'),
  /** A proof with this `jti` came before (RFC 9449 §11.1). */
  replayed_proof: badProof('The DPoP proof was used before.'),
  /** The token is bound to a certificate (RFC 8705 §3), and the request came with another one or with none. */
  wrong_certificate: invalidToken('The access token is bound to another certificate.'),
  insufficient_scope: {
    status: 403,
    error: 'insufficient_scope',
    description: 'The access token does not cover the scope of this request.',
  },
  /** The key set of the issuer cannot be had, or what is held of it is too old. */
  keys_unavailable: unavailable,
  /** The key set had no such key a moment ago, and may not be read again yet: the key may be new, or made up. */
  key_pending: unavailable,
  /** The revocation feed is stale, or holds a fact that this version cannot compare, and the verifier is set to refuse then. */
  stale: unavailable,
  /** Introspection was needed and gave no answer that can be believed. */
  introspection_unavailable: unavailable,
  /** Proofs cannot be remembered: there is no room, or the store that was given failed. */
  proofs_unavailable: unavailable,
  /** A fault of the verifier itself, which is reported. */
  fault: unavailable,
  /** `close()` was called. */
  closed: unavailable,
  /** The program asked for what there is not, such as a misspelled member: `reason` names it. */
  misuse: {
    status: 500,
    error: null,
    description: 'The server cannot check access tokens: its own request for it is wrong.',
  },
} as const satisfies Readonly<Record<string, Row>>

export type RefusalCode = keyof typeof ROWS

/** Every refusal there is. */
export const REFUSAL_CODES = Object.freeze(Object.keys(ROWS)) as readonly RefusalCode[]

export type Refused = {
  readonly ok: false
  /** The exact cause, for logs and metrics. The challenge shows the caller less. */
  readonly refusal: RefusalCode
  /** What was wrong, for a log: never the token, a secret or a key. */
  readonly reason: string
  /** The HTTP status to respond with. */
  readonly status: 400 | 401 | 403 | 500 | 503
  /** The value of `WWW-Authenticate` to send (RFC 6750 §3); undefined with 500, and with 503, which goes with `Retry-After`. */
  readonly challenge: string | undefined
  /** Seconds for `Retry-After`; undefined but with 503. */
  readonly retryAfter: number | undefined
  /** The body to respond with: `error` and `error_description`, as RFC 6749 §5.2 has them. */
  readonly body: { readonly error: string; readonly error_description: string }
}

export type RefusalContext = {
  /** The address of the protected resource metadata (RFC 9728 §5.1). */
  readonly resourceMetadata: string | undefined
  /** What the request needs, named in the challenge (RFC 6750 §3). */
  readonly scopes: readonly string[]
  readonly scheme: 'Bearer' | 'DPoP'
  /** DPoP algorithms, by spaces (RFC 9449 §7.1). */
  readonly proofAlgorithms: string
}

const RETRY_AFTER_SECONDS = 1

// RFC 6750 §3: no other characters in error, error_description and scope. They come from the program, not from callers.
const NOT_IN_PARAMETER = /[^\u0020\u0021\u0023-\u005b\u005d-\u007e]/g

const parameter = (name: string, value: string | null = ''): readonly string[] => {
  const allowed = value?.replaceAll(NOT_IN_PARAMETER, '') ?? ''
  return allowed === '' ? [] : [`${name}="${allowed}"`]
}

const challengeOf = ({ error, description, status }: Row, context: RefusalContext): string => {
  const { scheme, resourceMetadata, scopes, proofAlgorithms } = context
  const named = error === null || error === 'insufficient_scope' ? scopes.join(' ') : ''
  const parameters = [
    ...parameter('error', error),
    ...(error === null ? [] : parameter('error_description', description)),
    ...parameter('scope', named),
    ...parameter('resource_metadata', resourceMetadata),
    ...(scheme === 'DPoP' && status === 401 ? parameter('algs', proofAlgorithms) : []),
  ]
  return `${scheme} ${parameters.join(', ')}`.trimEnd()
}

/** `error` of bodies, where the challenge has none (RFC 6749 §4.1.2.1). */
const UNNAMED: Readonly<Record<number, string>> = { 500: 'server_error', 503: 'temporarily_unavailable' }

/** A refusal with what to send: RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1. Frozen: hooks receive it before the caller. */
export const refuse = (code: RefusalCode, reason: string, context: RefusalContext): Refused => {
  const row: Row = ROWS[code]
  const isUnavailable = row.status === 503
  const error = row.error ?? UNNAMED[row.status] ?? 'invalid_token'
  return Object.freeze({
    ok: false,
    refusal: code,
    reason,
    status: row.status,
    challenge: row.status >= 500 ? undefined : challengeOf(row, context),
    retryAfter: isUnavailable ? RETRY_AFTER_SECONDS : undefined,
    body: Object.freeze({ error, error_description: row.description }),
  })
}

/** A refusal before it is known how it is sent. */
export type Refusal = { readonly refusal: RefusalCode; readonly reason: string }

export const refusal = (code: RefusalCode, reason: string): Refusal => ({ refusal: code, reason })

export const isRefusal = (value: object): value is Refusal => 'refusal' in value
