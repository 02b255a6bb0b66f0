// A whole service on a port of its own: real store, real keys, a real identity provider, a clock that the test sets.
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { auditSealsOf } from '../../server/src/compose/seals.ts'
import { makeSettingReader } from '../../server/src/config/reader.ts'
import type { Origin } from '../../server/src/domain/caller.ts'
import type { KeyPolicy } from '../../server/src/domain/keys/key-life.ts'
import { buildServer, type ServerOptions } from '../../server/src/http/server.ts'
import { makeOperators } from '../../server/src/keys/providers/identity-providers.ts'
import { makeClientAssertions } from '../../server/src/keys/clients/client-assertions.ts'
import { clientCertificates } from '../../server/src/keys/clients/client-certificates.ts'
import type { Fetch } from '../../server/src/keys/providers/fetch-json.ts'
import { makeGuardedFetch } from '../../server/src/keys/providers/guarded-fetch.ts'
import { makeSignIn } from '../../server/src/keys/providers/sign-in.ts'
import { makeKeySets } from '../../server/src/keys/providers/key-sets.ts'
import { makeDpopProofs } from '../../server/src/keys/clients/dpop-proofs.ts'
import { makeImportedSecrets, makeSecrets, randomness } from '../../server/src/keys/clients/secrets.ts'
import { makeSigningKey, makeSigningKeyMaker } from '../../server/src/keys/tokens/signing-keys.ts'
import { makePlanSigning } from '../../server/src/keys/at-rest/plan-signing.ts'
import { makeTokenCodec } from '../../server/src/keys/tokens/token-codec.ts'
import type { Permission } from '../../api/values/access.ts'
import { parseScope, parseScopePatterns } from '../../api/values/scope.ts'
import type { AgentChange } from '../../server/src/domain/clients/change-agent.ts'
import { createAgent } from '../../server/src/operations/agents/create-agent.ts'
import { createApiKey, revokeApiKey } from '../../server/src/operations/api-keys/api-keys.ts'
import { disableAgent, enableAgent } from '../../server/src/operations/agents/agent-states.ts'
import type { KeySets } from '../../server/src/ports/key-sets.ts'
import type { Ports, ServiceProfile } from '../../server/src/ports/ports.ts'
import type { Timing } from '../../server/src/ports/timing.ts'
import { monotonicMs } from '../../server/src/store/monotonic.ts'
import type { ManualClock } from '../../server/src/store/sqlite/connection/clock.ts'
import type { StoreHost } from '../../server/src/store/sqlite/open.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../identity-providers/token-endpoint.ts'
import { type IdentityProvider, startIdentityProvider } from '../identity-providers/identity-provider.ts'
import {
  act,
  KEEP_LONG,
  makePlace,
  openTestedStore,
  PATIENT,
  type Place,
  START,
  type TestedStore,
  waitOn,
} from '../stores/store.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { type Watch, watchAnswers } from './watch-answers.ts'

export const AUDIENCE = 'https://api.example'
export const KEY_ENCRYPTION_KEY = new Uint8Array(32).fill(7)
const CLI: Origin = { caller: { kind: 'cli', user: 'tester' }, requestId: null, source: null }

export type TestServerOptions = {
  /** The path of the base URL, with its slash. */
  readonly path?: string
  /** The clock at the beginning, in ms. */
  readonly start?: number
  readonly profile?: Partial<ServiceProfile>
  readonly server?: Partial<ServerOptions>
  /** What waits for how long, where that differs from a service in production. */
  readonly timing?: Partial<Timing>
  /** Lets signing keys live, as a service does; without it there is one for ever. */
  readonly keys?: Omit<KeyPolicy, 'lifetimeSeconds'>
  /** What the keys of clients are fetched with; by default the service's own, with this machine allowed. */
  readonly fetchClientKeys?: Fetch
  /** Where its store is, already migrated; by default one is made. */
  readonly place?: Place
  /** Which lies to the OpenAPI document fail the test at its close; all unless it is said. */
  readonly isProblem?: (problem: string) => boolean
  /** Puts a fault in front of a port; `host` is the store's. */
  readonly break?: (ports: Ports, host: () => StoreHost) => Ports
}

export type AgentOfTest = { readonly agentId: string; readonly clientId: string; readonly clientSecret: string }

/** Settings of an agent, with its scopes as a body has them. */
export type AgentOfTestRequest = Omit<AgentChange, 'scopes' | 'defaultScope'> & {
  readonly scope?: string
  readonly defaultScope?: string | null
}

export type TestServer = {
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
  /** By default an agent that may have `db:*` and any resource, with `db:read` as its default scope. */
  readonly createAgent: (request?: AgentOfTestRequest) => Promise<AgentOfTest>
  readonly createApiKey: (permission: Permission, audiences?: readonly string[]) => Promise<{ id: string; key: string }>
  readonly revokeApiKey: (id: string) => Promise<unknown>
  readonly disableAgent: (id: string) => Promise<unknown>
  readonly enableAgent: (id: string) => Promise<unknown>
  /** Answers a request without a socket. */
  readonly inject: (request: InjectOptions) => Promise<LightMyRequestResponse>
  /** Writes the refused authentications that were counted and not written yet. */
  readonly settle: () => Promise<void>
  /** Fails where an answer was not as the OpenAPI document says. */
  readonly close: () => Promise<void>
}

const openStore = async (
  { file, clock }: Pick<Place, 'file' | 'clock'>,
  { keys }: Pick<TestServerOptions, 'keys'>,
  timing: Timing,
): Promise<TestedStore> => {
  const store = await openTestedStore({
    file,
    timing,
    retention: KEEP_LONG,
    clock,
    wait: waitOn(clock),
    ...(keys !== undefined && {
      keys: {
        policy: { ...keys, lifetimeSeconds: 300 },
        maker: makeSigningKeyMaker(KEY_ENCRYPTION_KEY, keys.algorithm),
      },
    }),
  })
  await store.signingKeys.createFirst(makeSigningKey(KEY_ENCRYPTION_KEY), act('signing_key.create'))
  return store
}

/** The writing thread of the embedded store, for a test that breaks it. */
const hostOf = (store: TestedStore): StoreHost => {
  if (!('host' in store)) throw new Error('Only the embedded store has a writing thread.')
  return store.host as StoreHost
}

const secrets = makeSecrets(randomness)
const SETTINGS = makeSettingReader({}).settings()

type Verifying = { readonly keySets: KeySets; readonly monotonicNow: () => number; readonly timing: Timing }

const portsOf = (
  store: TestedStore,
  provider: IdentityProvider,
  profile: ServiceProfile,
  verifying: Verifying,
): Ports => ({
  ledger: store.ledger,
  usage: store.usage,
  feed: store.feed,
  verifiers: store.verifiers,
  sessions: store.sessions,
  settings: { list: async () => SETTINGS },
  signIn: makeSignIn({
    timing: verifying.timing,
    client: {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      scope: 'openid',
      parameters: {},
    },
    callback: `${profile.issuer}/console/callback`,
    keyEncryptionKey: KEY_ENCRYPTION_KEY,
    now: verifying.monotonicNow,
  }),
  revocations: store.revocations,
  agents: store.agents,
  apiKeys: store.apiKeys,
  credentials: store.credentials,
  leakedSecrets: store.leakedSecrets,
  imports: store.imports,
  signingKeys: store.signingKeys,
  signingKeyMaker: makeSigningKeyMaker(KEY_ENCRYPTION_KEY, profile.signingAlgorithm),
  audit: store.audit,
  auditSeals: auditSealsOf(store, KEY_ENCRYPTION_KEY),
  health: store.health,
  codec: makeTokenCodec({ issuer: profile.issuer, keyEncryptionKey: KEY_ENCRYPTION_KEY }),
  proofs: makeDpopProofs(KEY_ENCRYPTION_KEY),
  planSigning: makePlanSigning(KEY_ENCRYPTION_KEY),
  assertions: makeClientAssertions(verifying),
  certificates: clientCertificates,
  operators: makeOperators({
    ...verifying,
    providers: [
      {
        issuer: provider.issuer,
        audience: provider.audience,
        roleClaim: 'roles',
        roleSeparator: 'none',
        roles: { 'mintmark-viewer': 'viewer', 'mintmark-operator': 'operator', 'mintmark-admin': 'admin' },
        algorithms: ['ES256', 'RS256'],
      },
    ],
    ownIssuer: profile.issuer,
    now: verifying.monotonicNow,
  }),
  secrets,
  importedSecrets: makeImportedSecrets(KEY_ENCRYPTION_KEY, verifying.timing),
  randomness,
  monotonic: monotonicMs,
  timing: verifying.timing,
  profile,
})

const taken = <T extends object>(answer: T): Exclude<T, { refusal: unknown }> => {
  if ('refusal' in answer) throw new Error(JSON.stringify(answer))
  return answer as Exclude<T, { refusal: unknown }>
}

const makeRepositories = (store: TestedStore) => {
  const ports = { agents: store.agents, apiKeys: store.apiKeys, secrets, randomness }
  let agents = 0
  return {
    createAgent: async (request: AgentOfTestRequest = {}): Promise<AgentOfTest> => {
      agents += 1
      const { name = `agent ${agents}`, scope = 'db:*', defaultScope = 'db:read', ...rest } = request
      const scopes = parseScopePatterns(scope) ?? []
      const fallback = defaultScope === null ? null : (parseScope(defaultScope) ?? null)
      const wanted = { name, resources: ['*'], ...rest, scopes, defaultScope: fallback }
      const { agent, clientSecret } = taken(await createAgent(ports, CLI, wanted))
      return { agentId: agent.id, clientId: agent.clientId, clientSecret }
    },
    createApiKey: async (permission: Permission, audiences: readonly string[] | null = null) => {
      const request = { name: permission, permissions: [permission], audiences, expiry: null }
      const { apiKey, key } = taken(await createApiKey(ports, CLI, request))
      return { id: apiKey.id, key }
    },
    revokeApiKey: (id: string) => revokeApiKey(ports, CLI, id, null),
    disableAgent: (id: string) => disableAgent(ports, CLI, id, null),
    enableAgent: (id: string) => enableAgent(ports, CLI, id, null),
  }
}

/** Moves its clock on to the machine's, which clients that nobody here wrote read. */
export const catchUp = ({ clock }: Pick<TestServer, 'clock'>): void =>
  clock.advance(Math.max(0, Date.now() - clock.wall()))

export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const place = options.place ?? (await makePlace(options.start ?? START))
  const { clock } = place
  const provider = await startIdentityProvider({
    algorithms: ['ES256', 'RS256'],
    firstRsaKey: 'shared',
    now: clock.wall,
  })
  const timing = { ...PATIENT, ...options.timing }
  const store = await openStore(place, options, timing)
  const lines: string[] = []
  let issuer = ''
  const fetchClientKeys = options.fetchClientKeys ?? makeGuardedFetch(['127.0.0.0/8'])
  const reading = { monotonicNow: clock.wall, timing }
  const verifying = {
    ...reading,
    keySets: makeKeySets({ ...reading, fetches: { provider: fetch, client: fetchClientKeys } }),
  }
  let watch: Watch | undefined
  const scheme = options.server?.https === undefined ? 'http' : 'https'
  const server = await listenOnFreePort(authority => {
    issuer = `${scheme}://${authority}${options.path ?? ''}`
    const fixed = {
      issuer,
      defaultAudience: AUDIENCE,
      lifetimeSeconds: 300,
      scopesSupported: null,
      dpopNonce: 'required' as const,
      certificates: { verified: false, unverified: false },
      signingAlgorithm: options.keys?.algorithm ?? 'ES256',
    }
    const ports = portsOf(store, provider, { ...fixed, ...options.profile }, verifying)
    const logger = pino({ level: 'trace' }, { write: line => void lines.push(line) })
    const broken = options.break === undefined ? ports : options.break(ports, () => hostOf(store))
    const app = buildServer(broken, { bodyBytesMax: 16_384, logger, ...options.server })
    watch = watchAnswers(app, { basePath: options.path ?? '', isProblem: options.isProblem })
    return app
  })
  return {
    baseUrl: issuer,
    origin: new URL(issuer).origin,
    clock,
    provider,
    routes: watch?.routes ?? [],
    storeFile: place.file,
    log: () => lines.join(''),
    ...makeRepositories(store),
    inject: request => server.inject(request),
    settle: store.settle,
    close: async () => {
      await server.close()
      await Promise.all([store.close(), provider.close()])
      await place.remove()
      watch?.assertDescribed()
    },
  }
}
