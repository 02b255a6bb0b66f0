// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ListSessionsRecord = {
  readonly id: string
  readonly operator: {
    /** The identity provider. */
    readonly iss: string
    readonly sub: string
    /** As the identity provider calls the operator. */
    readonly name: string | null
  }
  readonly created_at: string
  /** Of the last request, to the minute. */
  readonly used_at: string
  /** When it ends without a further request, or must have been renewed at the identity provider. */
  readonly expires_at: string
}

export type ListSessionsPage = {
  readonly data: readonly ListSessionsRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}
