// Configuration: turns the environment, and the files that it names, into one frozen value or a list of all mistakes.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { databaseForDev, type PostgresConfig, readDatabase, readMoveTarget } from './database.ts'
import { type GivenRemote, readRemote, type RemoteConfig } from './remote.ts'
import { type OperatorsConfig, readOperators } from './operators.ts'
import { type ClientCertificatesConfig, type LimitsConfig, readCallers } from './callers.ts'
import { makeSettingReader, type SettingReader } from './reader.ts'
import { type MetricsConfig, metricsForDev, readMetrics, readTelemetry, type TelemetryConfig } from './telemetry.ts'
import { readTls, type TlsConfig, warnOfPlainHttp } from './tls.ts'
import { WORKERS_MAX } from './settings/service-settings.ts'
import { listenHost, PORT_MAX } from './addresses.ts'
import type { LOG_LEVELS } from './settings/telemetry-settings.ts'
import type { SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { Setting } from '../../../api/values/settings.ts'
import type { DpopNoncePolicy } from '../domain/ledger/dpop.ts'

type LogLevel = (typeof LOG_LEVELS)[number]

export type SigningKeysConfig = {
  readonly algorithm: SigningAlgorithm
  /** How long a key signs; null: until an operator rotates. */
  readonly rotationDays: number | null
}

/** Settings of every command that opens the store. */
export type StoreConfig = {
  readonly dataDirectory: string
  readonly databaseFile: string
  /** Null where the store is in `databaseFile`. */
  readonly postgres: PostgresConfig | null
  readonly retention: { readonly expiredDays: number; readonly endedDays: number }
}

export type MigrateConfig = StoreConfig & {
  /** 32 bytes in base64. A secret. */
  readonly keyEncryptionKey: string
  readonly signingKeys: SigningKeysConfig
}

export type ReencryptConfig = MigrateConfig & {
  /** The previous key-encryption key. A secret. */
  readonly keyEncryptionKeyOld: string
}

/** Settings of a running service, in `serve` and in `dev`. */
export type ServiceConfig = (MigrateConfig & TelemetryConfig & Omit<OperatorsConfig, 'fileSettings'>) & {
  readonly baseUrl: string
  readonly host: string
  readonly port: number
  readonly tokenLifetimeSeconds: number
  readonly defaultAudience: string
  readonly dpopNonce: DpopNoncePolicy
  readonly claimNames: readonly string[]
  readonly clientKeyRanges: readonly string[]
  readonly clientCertificates: ClientCertificatesConfig
  /** Networks, as address/bits, of proxies that say where a request came from. */
  readonly trustedProxies: readonly string[]
  readonly limits: LimitsConfig
  readonly metrics: MetricsConfig
  readonly bodyBytesMax: number
  readonly logLevel: LogLevel
  /** What administrators see of all this. Those of the configuration file are with what they configure. */
  readonly settings: readonly Setting[]
}

export type ServeConfig = ServiceConfig & {
  readonly tls: TlsConfig
  /** The number of serving threads. */
  readonly workers: number
  /** How long /readyz fails before the port closes. */
  readonly drainSeconds: number
  /** Whether no audience is configured, so that it is the base URL. */
  readonly isDefaultAudienceAssumed: boolean
  /** The warnings to log at start, which are no mistakes. */
  readonly warnings: readonly string[]
}

/** Lists all mistakes, each with the name of its variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    const [only = ''] = mistakes
    super(
      mistakes.length === 1 ? only : `The configuration has ${mistakes.length} mistakes:\n  ${mistakes.join('\n  ')}`,
    )
    this.mistakes = mistakes
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export const ownEnvironment = (): Environment => process.env

/** Freezes a value with all its parts. */
const freeze = <T extends object>(value: T): T => {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part)
  return Object.freeze(value)
}

const readSigningKeys = (read: SettingReader): SigningKeysConfig => ({
  algorithm: read.value('MINTMARK_SIGNING_ALGORITHM'),
  rotationDays: read.value('MINTMARK_KEY_ROTATION_DAYS'),
})

const readStore = (read: SettingReader): StoreConfig => {
  const dataDirectory = resolve(read.value('MINTMARK_DATA_DIR'))
  const expiredDays = read.value('MINTMARK_RETAIN_EXPIRED_DAYS')
  const endedDays = read.value('MINTMARK_RETAIN_ENDED_DAYS')
  return { dataDirectory, ...readDatabase(read, dataDirectory), retention: { expiredDays, endedDays } }
}

const readShared = (read: SettingReader) => ({
  port: read.value('PORT'),
  tokenLifetimeSeconds: read.value('MINTMARK_TOKEN_LIFETIME_SECONDS'),
  bodyBytesMax: read.value('MINTMARK_BODY_BYTES_MAX'),
  claimNames: read.value('MINTMARK_CLAIM_NAMES') ?? [],
  ...readTelemetry(read),
})

// Other systems cannot share a port (Node: ENOTSUP on macOS and Windows), so one thread serves.
export const CAN_SHARE_PORTS = process.platform === 'linux'

const readWorkers = (read: SettingReader): number => {
  const workers = read.value('MINTMARK_WORKERS')
  if (workers === 'auto') return CAN_SHARE_PORTS ? Math.min(availableParallelism(), WORKERS_MAX) : 1
  if (workers > 1 && !CAN_SHARE_PORTS) {
    read.mistake(`MINTMARK_WORKERS is ${workers}; expected 1: on this system a port cannot be shared`)
  }
  return workers
}

const gatherServe = async (read: SettingReader) => {
  const baseUrl = read.required('MINTMARK_BASE_URL')
  const keyEncryptionKey = read.required('MINTMARK_KEY_ENCRYPTION_KEY')
  const audience = read.value('MINTMARK_DEFAULT_AUDIENCE', baseUrl)
  const numbers = readShared(read)
  return {
    baseUrl,
    keyEncryptionKey,
    audience,
    ...readStore(read),
    ...numbers,
    dpopNonce: read.value('MINTMARK_DPOP_NONCE'),
    signingKeys: readSigningKeys(read),
    clientKeyRanges: read.value('MINTMARK_CLIENT_KEYS_ALLOWED_RANGES') ?? [],
    ...(await readOperators(read, baseUrl)),
    host: listenHost(read.value('HOST')),
    logLevel: read.value('LOG_LEVEL'),
    tls: readTls(read, baseUrl),
    ...readCallers(read),
    metrics: readMetrics(read, numbers.port, null),
    workers: readWorkers(read),
    drainSeconds: read.value('MINTMARK_DRAIN_SECONDS'),
  }
}

/** The settings of `mintmark serve`, none of them generated. Throws a ConfigurationError with all mistakes. */
export const readServeConfig = async (env: Environment = process.env): Promise<ServeConfig> => {
  const read = makeSettingReader(env)
  const { baseUrl, keyEncryptionKey, audience, fileSettings, ...rest } = await gatherServe(read)
  if (read.mistakes.length > 0 || baseUrl === undefined || keyEncryptionKey === undefined) {
    throw new ConfigurationError(read.mistakes)
  }
  warnOfPlainHttp(read, rest)
  return freeze({
    ...rest,
    settings: [...read.settings(), ...fileSettings],
    warnings: read.warnings,
    baseUrl,
    keyEncryptionKey,
    defaultAudience: audience ?? baseUrl,
    isDefaultAudienceAssumed: audience === undefined,
  })
}

/** The settings of `mintmark serve` as far as they can be read, with the mistakes that would stop it. */
export type ServeSurvey = {
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
  /** A setting with a mistake is undefined, empty or at its default. The store is at its default unless `isStoreKnown`. */
  readonly settings: Awaited<ReturnType<typeof gatherServe>>
  readonly isStoreKnown: boolean
  readonly isTlsNamed: boolean
}

/** Never throws for a mistake. */
export const surveyServeConfig = async (env: Environment = process.env): Promise<ServeSurvey> => {
  const [read, storeReader] = [makeSettingReader(env), makeSettingReader(env)]
  const before = storeReader.mistakes.length
  readStore(storeReader)
  const settings = await gatherServe(read)
  if (read.mistakes.length === 0) warnOfPlainHttp(read, settings)
  const { mistakes, warnings } = read
  const isStoreKnown = storeReader.mistakes.length === before
  return freeze({ mistakes, warnings, settings, isStoreKnown, isTlsNamed: read.isSet('MINTMARK_TLS_CERT_FILE') })
}

const readMigration = (read: SettingReader) => ({ ...readStore(read), signingKeys: readSigningKeys(read) })

/** Returns what `gather` reads, or throws all mistakes that it found: what is required, and is not there, is one. */
export const readEach = <T>(env: Environment, gather: (read: SettingReader) => T | undefined): T => {
  const read = makeSettingReader(env)
  const found = gather(read)
  if (read.mistakes.length > 0 || found === undefined) throw new ConfigurationError(read.mistakes)
  return found
}

/** The settings of `mintmark migrate`. */
export const readMigrateConfig = (env: Environment = process.env): MigrateConfig =>
  readEach(env, read => {
    const [keyEncryptionKey, rest] = [read.required('MINTMARK_KEY_ENCRYPTION_KEY'), readMigration(read)]
    return keyEncryptionKey === undefined ? undefined : freeze({ ...rest, keyEncryptionKey })
  })

/** The settings of `mintmark key reencrypt`. */
export const readReencryptConfig = (env: Environment = process.env): ReencryptConfig =>
  readEach(env, read => {
    const keyEncryptionKey = read.required('MINTMARK_KEY_ENCRYPTION_KEY')
    const keyEncryptionKeyOld = read.required('MINTMARK_KEY_ENCRYPTION_KEY_OLD')
    const rest = readMigration(read)
    if (keyEncryptionKey === undefined || keyEncryptionKeyOld === undefined) return undefined
    return freeze({ ...rest, keyEncryptionKey, keyEncryptionKeyOld })
  })

/** The settings of `mintmark clock`. */
export const readStoreConfig = (env: Environment = process.env): StoreConfig => freeze(readEach(env, readStore))

/** The database into which a store is moved: named by the option `--to`, or else by DATABASE_URL. */
export const readMoveConfig = (to: string | undefined, env: Environment = process.env): PostgresConfig =>
  freeze(readEach(env, read => readMoveTarget(read, to)))

/** The settings of administrative commands on the local store. Settings of `serve` alone are ignored. */
export const readCommandConfig = (env: Environment = process.env) =>
  readEach(env, read => {
    const rest = { ...readMigration(read), tokenLifetimeSeconds: read.value('MINTMARK_TOKEN_LIFETIME_SECONDS') }
    const baseUrl = read.value('MINTMARK_BASE_URL') ?? null
    // Those of a service with these settings, where they define one.
    const defaultAudience = read.value('MINTMARK_DEFAULT_AUDIENCE') ?? baseUrl
    const operatorsAudience = read.value('MINTMARK_IDP_AUDIENCE') ?? null
    const claimNames = read.value('MINTMARK_CLAIM_NAMES') ?? []
    // A secret, needed only for imports and new signing keys.
    const keyEncryptionKey = read.value('MINTMARK_KEY_ENCRYPTION_KEY') ?? null
    return freeze({ ...rest, baseUrl, defaultAudience, operatorsAudience, claimNames, keyEncryptionKey })
  })

export type CommandConfig = ReturnType<typeof readCommandConfig>

/** The service that a command calls instead of the local store; null if none is named. */
export const readRemoteConfig = (given: GivenRemote, env: Environment = process.env): RemoteConfig | null =>
  readEach(env, read => readRemote(read, given))

/** The token that a command inspects; null if none is given. */
export const readTokenConfig = (env: Environment = process.env): string | null =>
  readEach(env, read => read.value('MINTMARK_TOKEN') ?? null)

const readIdentityProviderPort = (read: SettingReader, port: number): number => {
  const isLast = port === PORT_MAX
  const own = read.orElse('MINTMARK_DEV_IDP_PORT', String(isLast ? 1 : port + 1))
  if (own === port) {
    read.mistake(
      'MINTMARK_DEV_IDP_PORT equals PORT; expected two ports, one for the service and one for its identity provider',
    )
  }
  if (isLast && !read.isSet('MINTMARK_DEV_IDP_PORT')) {
    read.mistake('PORT is 65535, and PORT + 1 is no port; expected a lower PORT, or MINTMARK_DEV_IDP_PORT')
  }
  return own
}

/** The settings of `mintmark dev`. HOST, a DATABASE_URL other than of PostgreSQL and settings of `serve` alone are ignored. */
export const readDevConfig = (env: Environment = process.env) =>
  readEach({ ...env, DATABASE_URL: databaseForDev(env['DATABASE_URL']) }, read => {
    const store = readStore(read)
    const numbers = readShared(read)
    const signingKeys = readSigningKeys(read)
    const identityProviderPort = readIdentityProviderPort(read, numbers.port)
    const dpopNonce = read.value('MINTMARK_DPOP_NONCE')
    const metrics = readMetrics(read, numbers.port, metricsForDev(numbers.port, identityProviderPort))
    const logLevel = read.orElse('LOG_LEVEL', 'warn')
    const settings = read.settings()
    return freeze({ ...store, ...numbers, signingKeys, dpopNonce, metrics, identityProviderPort, logLevel, settings })
  })

/** Settings of `dev`, which generates the rest: a base URL, a key-encryption key, an identity provider. */
export type DevConfig = ReturnType<typeof readDevConfig>
