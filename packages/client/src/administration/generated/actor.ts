// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type Actor = {
  readonly type: 'operator' | 'client' | 'api_key' | 'issuer' | 'cli' | 'system'
  readonly iss?: string | undefined
  readonly sub?: string | undefined
  readonly id?: string | undefined
  /** In lists, and of a token: of the agent of the client, or of the API key, where the caller may read those. */
  readonly name?: string | undefined
}
