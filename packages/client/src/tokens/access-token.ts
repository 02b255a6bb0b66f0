// In this folder: access tokens for an agent: requested, cached, renewed, and sent to resource servers by a `fetch` with DPoP.
// An access token as its holder has it. It is a secret, so it prints itself without its text.
import { INSPECT, INSPECT_DENO, REDACTED } from '../wire/redaction.ts'

/** RFC 6750 §2.1: nothing that a header cannot carry. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

export const isTokenText = (value: unknown): value is string => typeof value === 'string' && TOKEN.test(value)

export type TokenType = 'Bearer' | 'DPoP'

export type AccessTokenParts = {
  readonly value: string
  readonly type: TokenType
  readonly scope: string | undefined
  readonly expiresAt: Date
}

/**
 * An access token. Its text is `value`, which nothing prints: not `console.log`, `util.inspect` or `JSON.stringify`, and not
 * a template that it is put into.
 */
export class AccessToken {
  /** `Bearer` (RFC 6750), or `DPoP` where it is bound to a key of its source (RFC 9449). */
  readonly type: TokenType
  /** What was granted: items separated by spaces; undefined where the server did not say. */
  readonly scope: string | undefined
  /** The expiry by the clock of this machine; the server's may differ. */
  readonly expiresAt: Date
  readonly #value: string

  constructor({ value, type, scope, expiresAt }: AccessTokenParts) {
    this.#value = value
    this.type = type
    this.scope = scope
    this.expiresAt = expiresAt
  }

  /** The text of the token. */
  get value(): string {
    return this.#value
  }

  /** The value of the header `Authorization`. */
  get authorization(): string {
    return `${this.type} ${this.#value}`
  }

  toJSON(): object {
    return { value: REDACTED, type: this.type, scope: this.scope, expiresAt: this.expiresAt }
  }

  toString(): string {
    return `AccessToken ${REDACTED}`
  }

  [INSPECT](): string {
    return `AccessToken ${JSON.stringify(this)}`
  }

  [INSPECT_DENO](): string {
    return `AccessToken ${JSON.stringify(this)}`
  }
}
