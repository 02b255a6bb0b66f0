// What an agent received from others and asks with: a token to exchange (RFC 8693), or an assertion (RFC 7523 §2.1).
import { startDeadline, within } from '../../../verify/src/wire/deadline.ts'
import { definite, isFunction, isOneOf } from '../../../verify/src/wire/option-members.ts'
import { WEB_RUNTIME } from '../../../verify/src/wire/runtime.ts'
import { isTokenText } from './access-token.ts'
import { TokenUnavailable } from './token-errors.ts'

const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'

/** The signal is aborted when the time is over (`timeoutMs`). */
type Fetched = (options: { readonly signal: AbortSignal }) => string | Promise<string>

export type ReceivedOptions = {
  /**
   * A token that was received, exchanged for one to act on its subject's behalf (RFC 8693), or a function that returns the current
   * one, called for each token. One source for each subject. It may be left out, and not undefined: the token would be the agent's own.
   */
  readonly subjectToken?: string | Fetched
  /** What the received token is: `access_token` by default, also of a trusted issuer; an `id_token`, or a `jwt` that says no type. */
  readonly subjectTokenType?: 'access_token' | 'id_token' | 'jwt' | undefined
  /**
   * Returns an assertion of a trusted issuer, such as an ID-JAG, which gets one token (RFC 7523 §2.1): called for each token. One source
   * for each subject. It may be left out, and not undefined: the token would be the agent's own.
   */
  readonly assertion?: Fetched
}

export const RECEIVED_KINDS = {
  subjectToken: definite(
    value =>
      typeof value === 'function' ||
      isTokenText(value) ||
      'the text of a token (RFC 6750), or a function that returns it',
  ),
  subjectTokenType: isOneOf('access_token', 'id_token', 'jwt'),
  assertion: definite(isFunction),
}

/** The parameters of a request that say what is asked with; `secret` is the one that no message may repeat. */
export type Given = { readonly fields: Readonly<Record<string, string>>; readonly secret: string }

const NOTHING: Given = { fields: { grant_type: 'client_credentials' }, secret: '' }

/** The caller's function may hang, or return anything. */
const fetchInTime = async (name: keyof ReceivedOptions, fetched: Fetched, timeoutMs: number): Promise<string> => {
  const late = (): Error => new TokenUnavailable(`${name} did not return within ${timeoutMs} ms`)
  const deadline = startDeadline(WEB_RUNTIME.after, timeoutMs, undefined, late)
  const text: unknown = await within(deadline, async () => fetched({ signal: deadline.signal }))
  if (isTokenText(text)) return text
  throw new TypeError(`What ${name} returned is not the text of a token (RFC 6750).`)
}

/** Returns what reads it for each token. Throws a TypeError for options that exclude each other. */
export const givenBy = (options: ReceivedOptions, timeoutMs: number): (() => Promise<Given>) => {
  const { subjectToken, subjectTokenType, assertion } = options
  if (subjectToken !== undefined && assertion !== undefined) {
    throw new TypeError('subjectToken and assertion are both given; expected one of them.')
  }
  if (subjectTokenType !== undefined && subjectToken === undefined) {
    throw new TypeError('subjectTokenType is given without subjectToken.')
  }
  if (assertion !== undefined) {
    return async () => {
      const text = await fetchInTime('assertion', assertion, timeoutMs)
      return { fields: { grant_type: JWT_BEARER_GRANT, assertion: text }, secret: text }
    }
  }
  if (subjectToken === undefined) return async () => NOTHING
  const type = TOKEN_TYPE + (subjectTokenType ?? 'access_token')
  return async () => {
    const text =
      typeof subjectToken === 'string' ? subjectToken : await fetchInTime('subjectToken', subjectToken, timeoutMs)
    return { fields: { grant_type: EXCHANGE_GRANT, subject_token: text, subject_token_type: type }, secret: text }
  }
}
