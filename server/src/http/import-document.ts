// The documents of imports: what is read of other servers' exports. Members beyond these are passed over, as there are many.
import { z } from 'zod'

const text = z.string().nullish()
const flag = z.boolean().nullish()

const keycloakClient = z.object({
  clientId: z.string(),
  name: text,
  description: text,
  enabled: flag,
  protocol: text,
  publicClient: flag,
  bearerOnly: flag,
  serviceAccountsEnabled: flag,
  clientAuthenticatorType: text,
  secret: text.describe('As asterisks, or absent: the agent gets a new one.'),
  defaultClientScopes: z.array(z.string()).nullish(),
  optionalClientScopes: z.array(z.string()).nullish(),
  attributes: z.object({ 'access.token.lifespan': text, 'client.secret.expiration.time': text }).nullish(),
})

const list = z.union([z.array(z.string()), z.string()]).nullish()

const hydraClient = z.object({
  id: text.describe('The client id, in a row of the table hydra_client.'),
  client_id: text.describe('The client id, in what the admin API prints.'),
  client_name: text,
  client_secret: text.describe('Its hash, bcrypt or PBKDF2; absent: the agent gets a new one.'),
  client_secret_expires_at: z.number().nullish(),
  scope: text,
  audience: list,
  grant_types: list,
  owner: text,
  token_endpoint_auth_method: text,
  client_credentials_grant_access_token_lifespan: z.union([z.number(), z.string()]).nullish(),
})

/** A realm export, or the clients of one. */
export const keycloakDocument = z.union([z.array(keycloakClient), z.object({ clients: z.array(keycloakClient) })], {
  error: 'is neither a Keycloak realm export with clients nor an array of its clients',
})

/** Rows or clients, bare or as one of the tools that print them wraps them. */
export const hydraDocument = z.union(
  [z.array(hydraClient), z.object({ clients: z.array(hydraClient) }), z.object({ items: z.array(hydraClient) })],
  { error: 'is neither an array of Hydra clients nor an object with such as clients or items' },
)

type Wrapped<Client> = { readonly clients: readonly Client[] } | { readonly items: readonly Client[] }

const isBare = <Client>(document: readonly Client[] | Wrapped<Client>): document is readonly Client[] =>
  Array.isArray(document)

export const clientsIn = <Client>(document: readonly Client[] | Wrapped<Client>): readonly Client[] => {
  if (isBare(document)) return document
  return 'clients' in document ? document.clients : document.items
}
