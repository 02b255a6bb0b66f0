// Refusals: values of one closed union. http/wire/refusals.ts maps each to its response. Also the errors of a store that fails.
import type { Attempt } from './audit/attempt.ts'

/** The challenge to an unauthenticated caller (RFC 9110 §11.6.1). */
export type Challenge = 'Basic' | 'ApiKey' | 'Bearer' | 'Bearer error="invalid_token"'

type PlainCode =
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'insufficient_scope'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_too_large'
  | 'header_fields_too_large'
  | 'unsupported_media_type'
  | 'misdirected_request'
  | 'already_exists'
  | 'epoch_changed'
  | 'plan_outdated'
  | 'too_many_requests'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'temporarily_unavailable'

/** Limits of docs/reference/limits.md that refuse work which would be done at another time: what they refuse is counted by these names. */
export const WORK_LIMITS = [
  'agent_tokens',
  'console_streams',
  'cut_offs',
  'exports',
  'followers',
  'imported_secrets',
  'key_sets',
  'ledger_names',
  'signatures',
  'token_requests',
] as const

export type WorkLimit = (typeof WORK_LIMITS)[number]

type CallerRefusal = {
  readonly code: 'invalid_client' | 'invalid_token' | 'invalid_grant'
  readonly description: string
  readonly challenges: readonly Challenge[]
  /** The cause, for the log only. */
  readonly inside?: string
  /** The presented credential, to be counted; absent if there was none. */
  readonly attempt?: Attempt
  /** The client id as presented, which may be a secret in the wrong field: only to be counted, never logged or stored. */
  readonly presentedId?: string
}

export type Refusal =
  | {
      readonly code: PlainCode
      readonly description: string
      /** The id of the record that already exists. */
      readonly id?: string
      /** The seconds after which the same request would not be refused for this reason, if known. */
      readonly retryAfterSeconds?: number
      /** The nonce for the next DPoP proof (RFC 9449 §8). */
      readonly nonce?: string
      /** The limit that refused, to be counted. */
      readonly limit?: WorkLimit
      /** The attempt to count, as in a CallerRefusal. */
      readonly attempt?: Attempt
    }
  | CallerRefusal

/** Also the codes of program errors, and of bytes that could not be read as a request. */
export type RefusalCode = Refusal['code'] | 'server_error' | 'request_timeout' | 'not_implemented'

export const refuse = (code: PlainCode, description: string, limit?: WorkLimit): { readonly refusal: Refusal } => ({
  refusal: { code, description, ...(limit !== undefined && { limit }) },
})

export const refuseCaller = (
  code: 'invalid_client' | 'invalid_token' | 'invalid_grant',
  description: string,
  ...challenges: readonly Challenge[]
): { readonly refusal: CallerRefusal } => ({ refusal: { code, description, challenges } })

/** Adds to the refusal the attempt to count, and the client id that it presented, if it did. */
export const counted = (
  { refusal }: { readonly refusal: CallerRefusal },
  attempt: Attempt,
  presentedId?: string,
): { readonly refusal: CallerRefusal } => ({
  refusal: { ...refusal, attempt, ...(presentedId !== undefined && { presentedId }) },
})

/** A result, or a refusal instead. */
export type OrRefusal<T> = T | { readonly refusal: Refusal }

export const isRefused = <T extends object>(answer: OrRefusal<T>): answer is { readonly refusal: Refusal } =>
  'refusal' in answer

type UnavailableOptions = ErrorOptions & { readonly toCaller?: string; readonly limit?: WorkLimit }

/**
 * Thrown if the store or an identity provider does not answer in time. The wire responds with 503 and `Retry-After`;
 * whether a change was made is then unknown (promise P4: closed and loud).
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /** A description for callers instead of the general one; it must contain nothing confidential. */
  readonly toCaller: string | undefined
  /** The limit that refused, if one did: to be counted. */
  readonly limit: WorkLimit | undefined
  constructor(message: string, { toCaller, limit, ...options }: UnavailableOptions = {}) {
    super(message, options)
    this.toCaller = toCaller
    this.limit = limit
  }
}

/** Thrown if more requests wait for something than are taken: the wire also makes the caller's connection rest. */
export class Overloaded extends Unavailable {}

/** The message for a process that cannot open enough files (EMFILE). */
export const TOO_FEW_FILES =
  'This process may open too few files (EMFILE): raise its limit to 1024 or more, with `ulimit -n 1024`, LimitNOFILE= of systemd or --ulimit nofile of a container.'
