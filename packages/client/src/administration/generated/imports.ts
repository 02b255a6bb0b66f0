// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ImportClientsAnswer = {
  readonly dry_run: boolean
  /** What became of each client, in the order of the document. */
  readonly data: readonly {
    readonly client_id: string
    readonly outcome: 'imported' | 'exists' | 'skipped' | 'refused'
    /** Why it was skipped or refused, as a code. */
    readonly reason: string | null
    /** The same for people. */
    readonly description: string | null
    /** Null unless it was imported, and in a dry run. */
    readonly agent_id: string | null
    readonly name: string | null
    readonly owner: string | null
    /** What becomes of its secret; null unless it is imported. */
    readonly secret: 'kept' | 'converted_at_first_use' | 'new' | null
    /** A new one, shown this once. */
    readonly client_secret: string | null
    readonly scope: string | null
    readonly default_scope: string | null
    readonly resources: readonly string[]
    readonly disabled: boolean
    /** Scopes of it that have no counterpart here, the first 100. */
    readonly scopes_left_out: readonly string[]
    /** Audiences of it that are no absolute URIs, the first 100. */
    readonly audiences_left_out: readonly string[]
  }[]
}

export type ImportClientsBody =
  | {
      readonly source: 'keycloak'
      readonly document:
        | readonly {
            readonly clientId: string
            readonly name?: string | null | undefined
            readonly description?: string | null | undefined
            readonly enabled?: boolean | null | undefined
            readonly protocol?: string | null | undefined
            readonly publicClient?: boolean | null | undefined
            readonly bearerOnly?: boolean | null | undefined
            readonly serviceAccountsEnabled?: boolean | null | undefined
            readonly clientAuthenticatorType?: string | null | undefined
            /** As asterisks, or absent: the agent gets a new one. */
            readonly secret?: string | null | undefined
            readonly defaultClientScopes?: readonly string[] | null | undefined
            readonly optionalClientScopes?: readonly string[] | null | undefined
            readonly attributes?:
              | {
                  readonly 'access.token.lifespan'?: string | null | undefined
                  readonly 'client.secret.expiration.time'?: string | null | undefined
                }
              | null
              | undefined
          }[]
        | {
            readonly clients: readonly {
              readonly clientId: string
              readonly name?: string | null | undefined
              readonly description?: string | null | undefined
              readonly enabled?: boolean | null | undefined
              readonly protocol?: string | null | undefined
              readonly publicClient?: boolean | null | undefined
              readonly bearerOnly?: boolean | null | undefined
              readonly serviceAccountsEnabled?: boolean | null | undefined
              readonly clientAuthenticatorType?: string | null | undefined
              /** As asterisks, or absent: the agent gets a new one. */
              readonly secret?: string | null | undefined
              readonly defaultClientScopes?: readonly string[] | null | undefined
              readonly optionalClientScopes?: readonly string[] | null | undefined
              readonly attributes?:
                | {
                    readonly 'access.token.lifespan'?: string | null | undefined
                    readonly 'client.secret.expiration.time'?: string | null | undefined
                  }
                | null
                | undefined
            }[]
          }
      /** Answer what would become of each client, and do nothing. */
      readonly dry_run?: boolean | undefined
      /** What agents may ask for of whose own scopes none is taken. */
      readonly scope?: string | undefined
      /** What agents get by default that have no default of their own. */
      readonly default_scope?: string | undefined
      /** Their scopes, and what each stands for here. */
      readonly scope_map?: Readonly<Record<string, string>> | undefined
      /** The resources of agents of whose own audiences none is taken. */
      readonly resources?: readonly string[] | undefined
    }
  | {
      readonly source: 'hydra'
      readonly document:
        | readonly {
            /** The client id, in a row of the table hydra_client. */
            readonly id?: string | null | undefined
            /** The client id, in what the admin API prints. */
            readonly client_id?: string | null | undefined
            readonly client_name?: string | null | undefined
            /** Its hash, bcrypt or PBKDF2; absent: the agent gets a new one. */
            readonly client_secret?: string | null | undefined
            readonly client_secret_expires_at?: number | null | undefined
            readonly scope?: string | null | undefined
            readonly audience?: readonly string[] | string | null | undefined
            readonly grant_types?: readonly string[] | string | null | undefined
            readonly owner?: string | null | undefined
            readonly token_endpoint_auth_method?: string | null | undefined
            readonly client_credentials_grant_access_token_lifespan?: number | string | null | undefined
          }[]
        | {
            readonly clients: readonly {
              /** The client id, in a row of the table hydra_client. */
              readonly id?: string | null | undefined
              /** The client id, in what the admin API prints. */
              readonly client_id?: string | null | undefined
              readonly client_name?: string | null | undefined
              /** Its hash, bcrypt or PBKDF2; absent: the agent gets a new one. */
              readonly client_secret?: string | null | undefined
              readonly client_secret_expires_at?: number | null | undefined
              readonly scope?: string | null | undefined
              readonly audience?: readonly string[] | string | null | undefined
              readonly grant_types?: readonly string[] | string | null | undefined
              readonly owner?: string | null | undefined
              readonly token_endpoint_auth_method?: string | null | undefined
              readonly client_credentials_grant_access_token_lifespan?: number | string | null | undefined
            }[]
          }
        | {
            readonly items: readonly {
              /** The client id, in a row of the table hydra_client. */
              readonly id?: string | null | undefined
              /** The client id, in what the admin API prints. */
              readonly client_id?: string | null | undefined
              readonly client_name?: string | null | undefined
              /** Its hash, bcrypt or PBKDF2; absent: the agent gets a new one. */
              readonly client_secret?: string | null | undefined
              readonly client_secret_expires_at?: number | null | undefined
              readonly scope?: string | null | undefined
              readonly audience?: readonly string[] | string | null | undefined
              readonly grant_types?: readonly string[] | string | null | undefined
              readonly owner?: string | null | undefined
              readonly token_endpoint_auth_method?: string | null | undefined
              readonly client_credentials_grant_access_token_lifespan?: number | string | null | undefined
            }[]
          }
      /** Answer what would become of each client, and do nothing. */
      readonly dry_run?: boolean | undefined
      /** What agents may ask for of whose own scopes none is taken. */
      readonly scope?: string | undefined
      /** What agents get by default that have no default of their own. */
      readonly default_scope?: string | undefined
      /** Their scopes, and what each stands for here. */
      readonly scope_map?: Readonly<Record<string, string>> | undefined
      /** The resources of agents of whose own audiences none is taken. */
      readonly resources?: readonly string[] | undefined
    }
