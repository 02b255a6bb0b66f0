// Refusals: what the service says no to, as values of one closed union. http/refusals.ts maps each to its status.

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
  | 'temporarily_unavailable'

export type Refusal =
  | { readonly code: PlainCode; readonly description: string }
  | {
      readonly code: 'invalid_client' | 'invalid_token'
      readonly description: string
      readonly challenges: readonly Challenge[]
      /** The cause, for the log only. */
      readonly inside?: string
    }

export type RefusalCode = Refusal['code'] | 'server_error'

export const refuse = (code: PlainCode, description: string): { readonly refusal: Refusal } => ({
  refusal: { code, description },
})

export const refuseCaller = (
  code: 'invalid_client' | 'invalid_token',
  description: string,
  ...challenges: readonly Challenge[]
): { readonly refusal: Refusal } => ({ refusal: { code, description, challenges } })

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
}
