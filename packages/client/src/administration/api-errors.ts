// In this folder: the administration API as an object of methods. generated/ has its operations; these files call them.
// Why a request to the administration came to nothing: refused, or unavailable, which passes.

/** The service refused the request (RFC 9457). `error` is one of the codes of docs/reference/errors.md. */
export class ApiRefused extends Error {
  override readonly name = 'ApiRefused'
  readonly error: string
  /** A text for people; it may change. */
  readonly description: string
  /** The HTTP status, of 400 to 499. */
  readonly status: number
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  /** The id of what exists already: the request with this `Idempotency-Key` made it before, or its name is taken. */
  readonly id: string | undefined
  constructor(parts: Pick<ApiRefused, 'error' | 'description' | 'status' | 'requestId' | 'id'>) {
    super(`The request was refused: ${parts.error} (${parts.description})`)
    this.error = parts.error
    this.description = parts.description
    this.status = parts.status
    this.requestId = parts.requestId
    this.id = parts.id
  }
}

/**
 * There was no answer, or none that can be believed: the network, the time, a limit, a server that cannot answer. Whether a
 * change was made is unknown where one was asked for.
 */
export class ApiUnavailable extends Error {
  override readonly name = 'ApiUnavailable'
  /** The seconds after which to ask again, where the service stated them. */
  readonly retryAfterSeconds: number | undefined
  /** The key of what was to be created: the same request with the same key creates nothing twice. */
  readonly idempotencyKey: string | undefined
  constructor(reason: string, { retryAfterSeconds, idempotencyKey }: Partial<Omit<ApiUnavailable, keyof Error>> = {}) {
    super(`The service gave no answer: ${reason}.`)
    this.retryAfterSeconds = retryAfterSeconds
    this.idempotencyKey = idempotencyKey
  }
}
