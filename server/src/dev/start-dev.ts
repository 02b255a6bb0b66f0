// Starts the service for development: embedded store, identity provider, demo agent, and dev.env before the port opens.
import { randomBytes } from 'node:crypto'
import { join, relative } from 'node:path'
import type { Logger } from 'pino'
import { openAccessLog } from '../compose/access-log.ts'
import { openService, type Service } from '../compose/compose.ts'
import { listen } from '../compose/listen.ts'
import { openTraces, tracePorts } from '../compose/traces.ts'
import { logWarnings, makeLogger } from '../compose/log.ts'
import { type LocalServer, serveLocally } from '../compose/local-server.ts'
import { SECRET_SHOWN } from '../../../api/values/settings.ts'
import { chooseForDevelopment } from '../config/setting-records.ts'
import { defaultLimits, NO_CLIENT_CERTIFICATES } from '../config/callers.ts'
import type { DevConfig, ServiceConfig } from '../config/config.ts'
import { DEFAULT_ROLE_CLAIM, DEFAULT_ROLES } from '../config/provider.ts'
import type { Origin } from '../domain/caller.ts'
import { makeFolders } from '../config/make-folders.ts'
import { refuseFolder } from '../config/start-refused.ts'
import { writeSecrets } from '../files/write-output.ts'
import type { Timing } from '../ports/timing.ts'
import { ensureDemo } from './demo.ts'
import { type DevSecrets, makeDevSecrets, readDevSecrets, writeDevSecrets, readPrivateFile } from './dev-secrets.ts'
import { AGENT_CLIENT_ID, agentSecretOf, CONSOLE_CLIENT_ID, fetchDevToken, issuerAt } from './dev-token.ts'
import { makeIdentityProvider, operatorsAudienceOf } from './identity-provider.ts'
import { loadOidcProvider } from './load-oidc-provider.ts'
import { loopbackHosts } from './loopback-hosts.ts'

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

const formatBanner = ({ baseUrl, issuer, environmentFile, database }: Addresses): string =>
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

// dev.env: exported variables for the lines of the banner and the README, for the user's own programs, and for the command
// line to call the running service.

// Inside single quotes a POSIX shell changes nothing; a quote itself must be closed, escaped and reopened.
const quote = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

const formatDevEnvironment = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('')

/** A path for `source`, which searches PATH for a name without a slash. */
const quotePath = (path: string): string => {
  const located = path.includes('/') ? path : `./${path}`
  return /^[A-Za-z0-9._/-]+$/.test(located) ? located : quote(located)
}

const HOST = '127.0.0.1'

type RunningDev = {
  readonly banner: string
  readonly logger: Logger
  readonly report: Service['report']
  readonly close: () => Promise<void>
}

const ensureKeyEncryptionKey = (dataDirectory: string): string => {
  const path = join(dataDirectory, 'key-encryption-key')
  const kept = readPrivateFile(path)?.trim()
  if (kept !== undefined) return kept
  const made = randomBytes(32).toString('base64')
  writeSecrets(path, `${made}\n`)
  return made
}

// Written once the ports are bound: a failed start must not give `dev-token` ports other than those in use.
const findSecrets = (config: DevConfig): DevSecrets => {
  const issuer = issuerAt(config.identityProviderPort)
  const kept = readDevSecrets(config.dataDirectory) ?? makeDevSecrets(issuer)
  return { ...kept, identity_provider: { ...kept.identity_provider, issuer } }
}

const prepareFolder = (config: DevConfig): { readonly keyEncryptionKey: string; readonly secrets: DevSecrets } => {
  try {
    // One that is there may serve other purposes; each file in it is private itself.
    makeFolders(config.dataDirectory)
    const keyEncryptionKey = ensureKeyEncryptionKey(config.dataDirectory)
    return { keyEncryptionKey, secrets: findSecrets(config) }
  } catch (error) {
    throw refuseFolder(error, config.dataDirectory)
  }
}

/** Allows keys of clients on this machine. */
const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']

const serviceConfigOf = (config: DevConfig, keyEncryptionKey: string, secrets: DevSecrets): ServiceConfig => {
  const baseUrl = `http://${HOST}:${config.port}`
  const provider = {
    issuer: issuerAt(config.identityProviderPort),
    audience: operatorsAudienceOf(baseUrl),
    jwksUri: undefined,
  }
  const mapping = { roleClaim: DEFAULT_ROLE_CLAIM, roleSeparator: 'none', roles: DEFAULT_ROLES } as const
  return {
    ...config,
    baseUrl,
    host: HOST,
    keyEncryptionKey,
    identityProviders: [
      { ...provider, ...mapping, algorithms: ['ES256'], setting: 'MINTMARK_DEV_IDP_PORT', settings: [] },
    ],
    defaultAudience: baseUrl,
    scopesSupported: null,
    console: {
      issuer: provider.issuer,
      clientId: CONSOLE_CLIENT_ID,
      clientSecret: secrets.identity_provider.client_secret,
      scope: 'openid',
      // Otherwise the provider would sign in the previous operator again without asking.
      parameters: { prompt: 'login' },
    },
    clientKeyRanges: LOOPBACK_RANGES,
    clientCertificates: NO_CLIENT_CERTIFICATES,
    trustedProxies: [],
    limits: defaultLimits(),
    settings: chooseForDevelopment(config.settings, {
      MINTMARK_BASE_URL: baseUrl,
      HOST,
      MINTMARK_KEY_ENCRYPTION_KEY: SECRET_SHOWN.set,
      MINTMARK_DEFAULT_AUDIENCE: baseUrl,
      MINTMARK_IDP_ISSUER: provider.issuer,
      MINTMARK_IDP_AUDIENCE: provider.audience,
      MINTMARK_CONSOLE_CLIENT_ID: CONSOLE_CLIENT_ID,
      MINTMARK_CONSOLE_CLIENT_SECRET: SECRET_SHOWN.set,
      MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: LOOPBACK_RANGES.join(','),
    }),
  }
}

const startIdentityProvider = async (
  config: DevConfig,
  secrets: DevSecrets,
  baseUrl: string,
  timing: Timing,
): Promise<LocalServer> => {
  const port = config.identityProviderPort
  const { private_jwk: privateJwk, client_secret: clientSecret } = secrets.identity_provider
  const answer = await makeIdentityProvider({ port, baseUrl, privateJwk, clientSecret })
  return serveLocally(answer, { host: HOST, port, variable: 'MINTMARK_DEV_IDP_PORT' }, timing)
}

type Preparation = {
  readonly config: DevConfig
  readonly secrets: DevSecrets
  readonly service: Service
  readonly origin: Origin
  readonly baseUrl: string
}

const environmentFileOf = (config: DevConfig): string => join(config.dataDirectory, 'dev.env')

const writeEnvironment = async ({ config, secrets, service, origin, baseUrl }: Preparation): Promise<void> => {
  const demo = await ensureDemo(service.ports, origin, secrets)
  writeDevSecrets(config.dataDirectory, { ...secrets, ...demo })
  const jwt = await fetchDevToken(secrets.identity_provider, 'admin', service.ports.timing)
  const environment = formatDevEnvironment({
    BASE_URL: baseUrl,
    AGENT_ID: demo.agent.agent_id,
    CLIENT_ID: demo.agent.client_id,
    CLIENT_SECRET: demo.agent.client_secret,
    ADMIN_API_KEY: demo.api_key.api_key,
    IDENTITY_PROVIDER_JWT: jwt,
    // Where people sign in for agents.
    IDENTITY_PROVIDER: secrets.identity_provider.issuer,
    IDENTITY_PROVIDER_CLIENT_ID: AGENT_CLIENT_ID,
    IDENTITY_PROVIDER_CLIENT_SECRET: agentSecretOf(secrets.identity_provider.client_secret),
    // The command line reads these.
    MINTMARK_URL: baseUrl,
    MINTMARK_OPERATOR_JWT: jwt,
    MINTMARK_API_KEY: demo.api_key.api_key,
  })
  writeSecrets(environmentFileOf(config), environment)
}

/** Starts everything, or throws a StartRefused and leaves nothing running. */
export const startDev = async (config: DevConfig, origin: Origin, timing: Timing): Promise<RunningDev> => {
  const { keyEncryptionKey, secrets } = prepareFolder(config)
  const serviceConfig = serviceConfigOf(config, keyEncryptionKey, secrets)
  const { baseUrl } = serviceConfig
  const logger = await makeLogger(serviceConfig)
  logWarnings(logger)
  await using started = new AsyncDisposableStack()
  // The provider is loaded while the writing thread of the store starts.
  const [opened] = await Promise.all([openService(serviceConfig, { maker: 'dev', timing, logger }), loadOidcProvider()])
  const service = started.adopt(opened, one => one.close())
  started.adopt(await startIdentityProvider(config, secrets, baseUrl, timing), provider => provider.close())
  await service.metrics.serve(fault => service.report('scrape', fault), logger)
  await writeEnvironment({ config, secrets, service, origin, baseUrl })
  const { accessLog } = started.adopt(await openAccessLog(config.accessLog, service.report, timing), one => one.close())
  const { traces } = started.adopt(await openTraces(config.traces, service.report, timing), one => one.close())
  started.adopt(
    await listen(tracePorts(service.ports, traces), serviceConfig, {
      tls: null,
      allowedHosts: loopbackHosts(config.port),
      sharesPort: false,
      metrics: service.metrics.main,
      traces,
      accessLog,
      logger,
      report: service.report,
      // Who tries it out sees why a request is refused, where other lines of that level stay away.
      causeLevel: 'warn',
    }),
    server => server.close(),
  )
  const running = started.move()
  const environmentFile = quotePath(relative(process.cwd(), environmentFileOf(config)))
  const issuer = issuerAt(config.identityProviderPort)
  const database = config.postgres?.database ?? null
  const banner = formatBanner({ baseUrl, issuer, environmentFile, database })
  return { banner, logger, report: service.report, close: () => running.disposeAsync() }
}
