// Refusals: values of one closed union. http/wire/refusals.ts maps each to its response. Also the errors of a store that fails.
import type { Attempt } from './audit/attempt.ts'

/** How a caller that was not recognised is asked to come back (RFC 9110 §11.6.1). */
export type Challenge = 'Basic' | 'ApiKey' | 'Bearer' | 'Bearer error="invalid_token"'

type PlainCode =
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'insufficient_scope'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_too_large'
  | 'misdirected_request'
  | 'already_exists'
  | 'too_many_requests'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'temporarily_unavailable'

type CallerRefusal = {
  readonly code: 'invalid_client' | 'invalid_token'
  readonly description: string
  readonly challenges: readonly Challenge[]
  /** The cause, for the log only. */
  readonly inside?: string
  /** What was presented, to be counted; nothing was where it is not there. */
  readonly attempt?: Attempt
}

export type Refusal =
  | {
      readonly code: PlainCode
      readonly description: string
      /** Of what is there already. */
      readonly id?: string
      /** In how many seconds the same request would not be refused so, where that is known. */
      readonly retryAfterSeconds?: number
      /** For the next DPoP proof (RFC 9449 §8). */
      readonly nonce?: string
      /** To be counted, as that of a caller is. */
      readonly attempt?: Attempt
    }
  | CallerRefusal

/** With those of faults, and of what could not be read as a request at all. */
export type RefusalCode = Refusal['code'] | 'server_error' | 'request_timeout' | 'header_fields_too_large'

export const refuse = (code: PlainCode, description: string): { readonly refusal: Refusal } => ({
  refusal: { code, description },
})

export const refuseCaller = (
  code: 'invalid_client' | 'invalid_token',
  description: string,
  ...challenges: readonly Challenge[]
): { readonly refusal: CallerRefusal } => ({ refusal: { code, description, challenges } })

/** The same refusal, of something that was presented. */
export const counted = (
  { refusal }: { readonly refusal: CallerRefusal },
  attempt: Attempt,
): { readonly refusal: CallerRefusal } => ({ refusal: { ...refusal, attempt } })

/** An answer, or the refusal that stands in its place. */
export type OrRefusal<T> = T | { readonly refusal: Refusal }

export const isRefused = <T extends object>(answer: OrRefusal<T>): answer is { readonly refusal: Refusal } =>
  'refusal' in answer

/**
 * Thrown where the truth cannot be had in time: the store or an identity provider does not answer.
 * The edge answers 503 with `Retry-After`; whether a change was made is then unknown (promises: closed and loud).
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /** What callers hear in place of the one description for all; it holds nothing that not everybody may know. */
  readonly toCaller: string | undefined
  constructor(message: string, { toCaller, ...options }: ErrorOptions & { readonly toCaller?: string } = {}) {
    super(message, options)
    this.toCaller = toCaller
  }
}

/** What a person is told, whichever file could not be opened. */
export const TOO_FEW_FILES =
  'This process may open too few files (EMFILE): raise its limit to 1024 or more, with `ulimit -n 1024`, LimitNOFILE= of systemd or --ulimit nofile of a container.'
