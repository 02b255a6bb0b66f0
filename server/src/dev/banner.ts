// The output of `mintmark dev`: where it listens, and a line to paste for each operation. It contains no secret.

/** One line for each operation, in an order in which all work. They use the variables of dev.env, never their values. */
const OPERATION_LINES = [
  {
    title: 'Issue a token',
    line: 'TOKEN=$(curl -s "$BASE_URL/oauth/token" -d grant_type=client_credentials -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" -d scope=db:read | sed \'s/.*"access_token":"\\([^"]*\\)".*/\\1/\') && echo "$TOKEN"',
  },
  {
    title: 'Verify it',
    line: 'curl -s "$BASE_URL/oauth/introspect/v2" -H "X-API-Key: $ADMIN_API_KEY" -d token="$TOKEN"; echo',
  },
  { title: 'List live tokens', line: 'curl -s "$BASE_URL/api/v1/tokens" -H "X-API-Key: $ADMIN_API_KEY"; echo' },
  {
    title: 'Revoke it',
    line: 'curl -s "$BASE_URL/oauth/revoke" -H "Authorization: Bearer $IDENTITY_PROVIDER_JWT" -d token="$TOKEN"; echo',
  },
  {
    title: 'Find it in history',
    line: 'curl -s "$BASE_URL/api/v1/tokens/history?agent_id=$AGENT_ID&termination_reason=manual_revocation" -H "X-API-Key: $ADMIN_API_KEY"; echo',
  },
  { title: 'Public keys', line: 'curl -s "$BASE_URL/.well-known/jwks.json"; echo' },
] as const

type Addresses = {
  readonly baseUrl: string
  readonly issuer: string
  /** The path of dev.env as a shell in the current folder would name it. */
  readonly environmentFile: string
  /** The PostgreSQL database with the store; null: the store is in the folder too. */
  readonly database: string | null
}

const whereItIs = (database: string | null): string =>
  database === null
    ? 'Everything is kept in one folder and reachable from this machine only. Stop with Ctrl+C.'
    : `The store is the PostgreSQL database ${database}; keys and secrets are kept in one folder. The service is reachable from this machine only. Stop with Ctrl+C.`

export const formatBanner = ({ baseUrl, issuer, environmentFile, database }: Addresses): string =>
  [
    `Mintmark for development: ${baseUrl}`,
    `Console:                  ${baseUrl}/console/`,
    `Identity provider:        ${issuer}`,
    whereItIs(database),
    '',
    'In another terminal:',
    '',
    `source ${environmentFile}`,
    ...OPERATION_LINES.flatMap(({ title, line }) => ['', `# ${title}`, line]),
    '',
  ].join('\n')
