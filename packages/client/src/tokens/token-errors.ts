// Why there is no token: refused, which asking again does not change, or unavailable, which passes.

/** The token endpoint refused the request (RFC 6749 §5.2). Asking again will not help before something is changed. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  /** The code, such as `invalid_client`, `invalid_scope` or `unauthorized_client`. */
  readonly error: string
  /** A text for people; it may change. Undefined where the server sent none. */
  readonly description: string | undefined
  /** The HTTP status of the answer, of 400 to 499. */
  readonly status: number
  constructor(error: string, description: string | undefined, status: number) {
    super(`The token was refused: ${error}${description === undefined ? '' : ` (${description})`}.`)
    this.error = error
    this.description = description
    this.status = status
  }
}

/** No token could be had for now: the network, the time, a limit, or a server that cannot answer or not as it should. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable'
  /** The seconds after which to ask again; until then `getToken` fails without a request. At most 300. */
  readonly retryAfterSeconds: number | undefined
  /** What went wrong, without what to do. */
  readonly reason: string
  constructor(reason: string, retryAfterSeconds?: number) {
    const advice = retryAfterSeconds === undefined ? '' : ` Ask again in ${retryAfterSeconds} s.`
    super(`No token can be had: ${reason}.${advice}`)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
