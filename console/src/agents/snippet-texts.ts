// How an agent gets a token, in several languages, with its own values: what proves who it is is the reader's to fill in.
import { shellWord } from '../parts/shell-word.ts'

/** The scopes of an agent, as its record has them. */
type Scoped = { readonly scope: string; readonly default_scope: string | null }

/** What a credential is to the client that presents it. */
type Proof = 'secret' | 'key' | 'workload' | 'certificate'

const PROOFS: Readonly<Record<string, Proof>> = {
  client_secret: 'secret',
  private_key_jwt: 'key',
  workload_identity: 'workload',
  tls_client_auth: 'certificate',
  self_signed_tls_client_auth: 'certificate',
}

export type Values = { readonly baseUrl: string; readonly clientId: string; readonly scope: string }

const ACTION = 'ACTION'

/** What it may ask for: its default, else the items that it is allowed one by one; of a pattern some action is to be filled in. */
export const scopeToAsk = ({ scope, default_scope: fallback }: Scoped): string => {
  if (fallback !== null && fallback !== '') return fallback
  const patterns = scope.split(' ')
  const items = patterns.filter(pattern => !pattern.endsWith(':*'))
  return items.length > 0 ? items.join(' ') : patterns.map(pattern => pattern.replace(/\*$/, ACTION)).join(' ')
}

type Text = (values: Values) => string

const sdk =
  (credential: string): Text =>
  ({ baseUrl, clientId, scope }) =>
    `import { createTokenSource } from '@mintmark/client'

const source = createTokenSource({
  issuer: ${JSON.stringify(baseUrl)},
  clientId: ${JSON.stringify(clientId)},
  ${credential},
  scopes: ${JSON.stringify(scope.split(' '))},
})
const response = await source.fetch('https://api.example.com/')`

const mcp =
  (secret: string, option: string): Text =>
  ({ baseUrl, clientId, scope }) =>
    `MINTMARK_URL=${shellWord(baseUrl)} MINTMARK_CLIENT_ID=${shellWord(clientId)} \\
${secret}  mintmark token get ${option}--scope ${shellWord(scope)} -- your-mcp-client`

const form = ({ scope }: Values): string =>
  `-d grant_type=client_credentials --data-urlencode ${shellWord(`scope=${scope}`)}`

const python: Text = ({ baseUrl, clientId, scope }) => `import os
from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session(${JSON.stringify(clientId)}, os.environ["CLIENT_SECRET"], scope=${JSON.stringify(scope)})
session.fetch_token(${JSON.stringify(`${baseUrl}/oauth/token`)}, grant_type="client_credentials")`

const go: Text = ({ baseUrl, clientId, scope }) => `config := clientcredentials.Config{
	ClientID:     ${JSON.stringify(clientId)},
	ClientSecret: os.Getenv("CLIENT_SECRET"),
	TokenURL:     ${JSON.stringify(`${baseUrl}/oauth/token`)},
	Scopes:       strings.Fields(${JSON.stringify(scope)}),
}
client := config.Client(ctx)`

const TEXTS: Readonly<Record<Proof, Readonly<Record<string, Text>>>> = {
  secret: {
    curl: values => `curl ${form(values)} \\
  --data-urlencode ${shellWord(`client_id=${values.clientId}`)} --data-urlencode "client_secret=$CLIENT_SECRET" \\
  ${shellWord(`${values.baseUrl}/oauth/token`)}`,
    Node: sdk('clientSecret: process.env.CLIENT_SECRET'),
    Python: python,
    Go: go,
    MCP: mcp('MINTMARK_CLIENT_SECRET=$CLIENT_SECRET \\\n', ''),
  },
  key: {
    Node: sdk("privateKeyFile: 'client.key.pem'"),
    MCP: mcp('', '--private-key-file client.key.pem '),
  },
  workload: {
    Node: sdk("workloadTokenFile: '/var/run/secrets/token'"),
    MCP: mcp('', '--workload-token-file /var/run/secrets/token '),
  },
  certificate: {
    curl: values => `curl --cert client.crt --key client.key ${form(values)} \\
  --data-urlencode ${shellWord(`client_id=${values.clientId}`)} \\
  ${shellWord(`${values.baseUrl}/oauth/token`)}`,
  },
}

type Credential = { readonly kind: string; readonly revoked_at: string | null }

/** Returns the texts for the first credential that is not revoked; without one for a secret, which the next would be. */
export const snippetsFor = (credentials: readonly Credential[]): Readonly<Record<string, Text>> => {
  const kind = credentials.find(({ revoked_at: revokedAt }) => revokedAt === null)?.kind ?? 'client_secret'
  return TEXTS[PROOFS[kind] ?? 'secret']
}
