// A whole service on a port of its own: real store, real keys, a real identity provider, a clock that the test sets.
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import type { SigningAlgorithm } from '../../api/values/algorithms.ts'
import { openService, type ServiceParts } from '../../server/src/compose/compose.ts'
import { serverOptionsOf } from '../../server/src/compose/listen.ts'
import { readServeConfig, type ServiceConfig } from '../../server/src/config/config.ts'
import { buildServer, type ServerOptions } from '../../server/src/http/server.ts'
import { makeSigningKey } from '../../server/src/keys/tokens/signing-keys.ts'
import type { Ports } from '../../server/src/ports/ports.ts'
import { TIMING, type Timing } from '../../server/src/ports/timing.ts'
import type { ManualClock } from '../stores/manual-clock.ts'
import { isDatabaseUrl, databaseOf } from '../databases/postgres-cluster.ts'
import { addressOf, wayToStores } from '../databases/postgres-store.ts'
import { type IdentityProvider, startIdentityProvider } from '../identity-providers/identity-provider.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../identity-providers/token-endpoint.ts'
import { act, makePlace, openTestedStore, PATIENT, type Place, START } from '../stores/store.ts'
import { listenOnOwnPort } from './listen-on-own-port.ts'
import { makeRegistrations, type Registrations } from './registrations.ts'
import { watchAnswers } from './watch-answers.ts'

export type { AgentOfTest, AgentOfTestRequest } from './registrations.ts'

export const AUDIENCE = 'https://api.example'
const { answerMs, databaseAnswerMs, statementMs, storeMs } = TIMING

/** The deadlines of production, for a test of what is late. */
export const IN_TIME = { answerMs, databaseAnswerMs, statementMs, storeMs }
export const KEY_ENCRYPTION_KEY = new Uint8Array(32).fill(7)

export type TestServerOptions = Pick<ServiceParts, 'writer'> & {
  /** The path of the base URL, with its slash. */
  readonly path?: string
  /** The clock at the beginning, in ms. */
  readonly start?: number
  /** The settings that differ from the least that `serve` is configured with. */
  readonly config?: Partial<ServiceConfig>
  readonly server?: Partial<ServerOptions>
  /** What waits for how long, where that differs from a service in production. */
  readonly timing?: Partial<Timing>
  /** The place of its store, already migrated; by default a new store. */
  readonly place?: Place
  /** Which lies to the OpenAPI document fail the test at its close; all unless it is said. */
  readonly isProblem?: (problem: string) => boolean
  /** Puts a fault in front of ports. */
  readonly break?: ServiceParts['inFront']
}

export type TestServer = Registrations & {
  /** The issuer. */
  readonly baseUrl: string
  readonly origin: string
  readonly clock: ManualClock
  readonly provider: IdentityProvider
  /** Every route as its method and its path. */
  readonly routes: readonly string[]
  readonly storeFile: string
  /** All that was logged so far, at every level. */
  readonly log: () => string
  /** Answers a request without a socket. */
  readonly inject: (request: InjectOptions) => Promise<LightMyRequestResponse>
  /** Writes the refused authentications that were counted and not written yet. */
  readonly settle: () => Promise<void>
  /** Fails where an answer was not as the OpenAPI document says. */
  readonly close: () => Promise<void>
}

/** Its signing key stays for ever, unless `given` says otherwise, and nobody fails too often. */
const configOf = async (
  { file }: Place,
  provider: IdentityProvider,
  baseUrl: string,
  given: Partial<ServiceConfig> = {},
): Promise<ServiceConfig> => ({
  ...(await readServeConfig({
    MINTMARK_BASE_URL: baseUrl,
    MINTMARK_KEY_ENCRYPTION_KEY: Buffer.from(KEY_ENCRYPTION_KEY).toString('base64'),
    MINTMARK_KEY_ROTATION_DAYS: 'off',
    MINTMARK_DEFAULT_AUDIENCE: AUDIENCE,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_CONSOLE_CLIENT_ID: CLIENT_ID,
    MINTMARK_CONSOLE_CLIENT_SECRET: CLIENT_SECRET,
    MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '127.0.0.0/8',
    MINTMARK_FAILED_AUTH_PER_CLIENT: 'off',
    MINTMARK_FAILED_AUTH_PER_ADDRESS: 'off',
  })),
  databaseFile: file,
  postgres: isDatabaseUrl(file) ? await addressOf(databaseOf(file), wayToStores()) : null,
  ...given,
})

/** The next one too, so that the service finds nothing to do by itself. */
const makeKeys = async ({ file, clock }: Place, algorithm: SigningAlgorithm = 'ES256'): Promise<void> => {
  const store = await openTestedStore({ file, clock, retention: null })
  const made = act('signing_key.create')
  await store.signingKeys.createFirst(makeSigningKey(KEY_ENCRYPTION_KEY), made)
  await store.signingKeys.createNext(makeSigningKey(KEY_ENCRYPTION_KEY, algorithm), made)
  await store.close()
}

/** Moves its clock on to the machine's, which clients that nobody here wrote read. */
export const catchUp = ({ clock }: Pick<TestServer, 'clock'>): void =>
  clock.advance(Math.max(0, Date.now() - clock.wall()))

export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { path = '', writer = 'inline' } = options
  const place = options.place ?? (await makePlace(options.start ?? START))
  const { clock } = place
  await makeKeys(place, options.config?.signingKeys?.algorithm)
  const provider = await startIdentityProvider({
    algorithms: ['ES256', 'RS256'],
    firstRsaKey: 'shared',
    now: clock.wall,
  })
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  const timing = { ...PATIENT, ...options.timing }
  const scheme = options.server?.https === undefined ? 'http' : 'https'
  const open = async (baseUrl: string) => {
    const config = await configOf(place, provider, baseUrl, options.config)
    // What is broken is so for callers of the service: what a test registers is there all the same.
    let whole: Ports | undefined
    const inFront: ServiceParts['inFront'] = (own, host) => {
      whole = own
      return options.break?.(own, host) ?? own
    }
    const service = await openService(config, { clock, timing, writer, logger, inFront })
    const { metrics, report } = service
    const own = { metrics: metrics.main, report, tls: null, sharesPort: false, allowedHosts: null, logger }
    const app = buildServer(service.ports, {
      ...(await serverOptionsOf(service.ports, config, own)),
      ...options.server,
    })
    const watch = watchAnswers(app, { basePath: path, isProblem: options.isProblem })
    return { baseUrl, service, app, watch, registrations: makeRegistrations(whole ?? service.ports) }
  }
  const { app, baseUrl, registrations, service, watch } = await listenOnOwnPort(host =>
    open(`${scheme}://${host}${path}`),
  )
  return {
    baseUrl,
    origin: new URL(baseUrl).origin,
    clock,
    provider,
    routes: watch.routes,
    storeFile: place.file,
    log: () => lines.join(''),
    ...registrations,
    inject: request => app.inject(request),
    settle: service.settle,
    close: async () => {
      await app.close()
      await Promise.all([service.close(), provider.close()])
      await place.remove()
      watch.assertDescribed()
    },
  }
}
