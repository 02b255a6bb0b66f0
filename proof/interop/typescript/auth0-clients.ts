// Reads the clients and the client grants of an Auth0 tenant, and prints those that are programs as `mintmark import hydra` reads them:
// with a hash in the place of each secret, the audiences and the scopes that were granted.
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

type Client = {
  readonly client_id: string
  readonly client_secret?: string
  readonly name: string
  readonly grant_types?: readonly string[]
  readonly token_endpoint_auth_method?: string
}
type Grant = { readonly client_id: string; readonly audience: string; readonly scope: readonly string[] }

const [clientsFile = 'auth0-clients.json', grantsFile = 'auth0-client-grants.json'] = process.argv.slice(2)
const clients = JSON.parse(readFileSync(clientsFile, 'utf8')) as readonly Client[]
const grants = JSON.parse(readFileSync(grantsFile, 'utf8')) as readonly Grant[]

const ITERATIONS = 25_000
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** Auth0 gives secrets as they are; no file should hold them. */
const hash = (secret: string): string => {
  const salt = randomBytes(16)
  const key = pbkdf2Sync(secret, salt, ITERATIONS, 32, 'sha256')
  return `$pbkdf2-sha256$i=${ITERATIONS},l=32$${unpadded(salt)}$${unpadded(key)}`
}

const convert = (client: Client) => {
  const own = grants.filter(({ client_id }) => client_id === client.client_id)
  return {
    client_id: client.client_id,
    client_name: client.name,
    ...(client.client_secret !== undefined && { client_secret: hash(client.client_secret) }),
    grant_types: client.grant_types,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    scope: [...new Set(own.flatMap(({ scope }) => scope))].join(' '),
    audience: own.map(({ audience }) => audience),
  }
}

console.log(JSON.stringify(clients.map(convert), null, 2))
