// Reads a client of a Keycloak realm export, or of its admin API (ClientRepresentation).
import { type ForeignClient, type SkipReason, textOrNull } from './foreign-client.ts'

type Text = string | null | undefined
type Flag = boolean | null | undefined

/** The relevant members in Keycloak's form; times and lifetimes are texts. */
type KeycloakClient = {
  readonly clientId: string
  readonly name?: Text
  readonly description?: Text
  readonly enabled?: Flag
  readonly protocol?: Text
  readonly publicClient?: Flag
  readonly bearerOnly?: Flag
  readonly serviceAccountsEnabled?: Flag
  readonly clientAuthenticatorType?: Text
  readonly secret?: Text
  readonly defaultClientScopes?: readonly string[] | null | undefined
  readonly optionalClientScopes?: readonly string[] | null | undefined
  readonly attributes?:
    | { readonly 'access.token.lifespan'?: Text; readonly 'client.secret.expiration.time'?: Text }
    | null
    | undefined
}

/** Values instead of a secret: a masked export, a vault, a variable. */
const NO_SECRET = /^(?:\*+|\$\{.*\}|\$\(.*\))$/

const skipReason = (client: KeycloakClient): SkipReason | null => {
  if ((client.protocol ?? 'openid-connect') !== 'openid-connect') return 'other_protocol'
  if (client.publicClient === true) return 'public_client'
  if (client.bearerOnly === true) return 'bearer_only'
  if (client.serviceAccountsEnabled !== true) return 'no_client_credentials'
  return (client.clientAuthenticatorType ?? 'client-secret') === 'client-secret' ? null : 'other_authentication'
}

const secretOf = ({ secret }: KeycloakClient): ForeignClient['secret'] =>
  secret === null || secret === undefined || secret === '' || NO_SECRET.test(secret)
    ? null
    : { form: 'secret', text: secret }

/** Seconds as a text; -1, 0 and an empty text mean none. */
const secondsOf = (text: Text): number | null => {
  const seconds = textOrNull(text)
  if (seconds === null || /^(?:-1|0)$/.test(seconds)) return null
  return /^\d{1,12}$/.test(seconds) ? Number(seconds) : Number.NaN
}

export const readKeycloakClient = (client: KeycloakClient): ForeignClient => {
  const { attributes } = client
  const secretExpires = secondsOf(attributes?.['client.secret.expiration.time'])
  return {
    clientId: client.clientId,
    skip: skipReason(client),
    name: textOrNull(client.name),
    description: textOrNull(client.description),
    owner: null,
    isDisabled: client.enabled === false,
    secret: secretOf(client),
    secretExpiresAt: secretExpires === null ? null : secretExpires * 1000,
    defaultScopes: client.defaultClientScopes ?? [],
    optionalScopes: client.optionalClientScopes ?? [],
    audiences: [],
    lifetimeSeconds: secondsOf(attributes?.['access.token.lifespan']),
  }
}
