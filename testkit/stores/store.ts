// A real embedded store in a folder of its own, on a clock that the test sets.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Act } from '../../server/src/domain/audit/act.ts'
import type { ActKind } from '../../api/values/audit.ts'
import { type AgentSettings, BLANK_SETTINGS } from '../../server/src/domain/clients/change-agent.ts'
import { type TokenAddress, makeTokenId } from '../../server/src/domain/ledger/claims.ts'
import { limitsOf } from '../../api/values/limits.ts'
import type { AgentFilters, HistoryFilters, NameFilters, TokenFilters } from '../../server/src/domain/lists/page.ts'
import type { SealedSigningKey } from '../../server/src/domain/keys/signing-key.ts'
import type { NewToken } from '../../server/src/ports/ports.ts'
import { TIMING, type Timing } from '../../server/src/ports/timing.ts'
import { resetDatabaseClock } from '../../server/src/store/offline/postgres/act-alone.ts'
import { openPostgresStore } from '../../server/src/store/postgres/open.ts'
import type { Retention } from '../../server/src/store/retention.ts'
import type { StoreOptions } from '../../server/src/store/store-options.ts'
import { type ManualClock, makeManualClock } from './manual-clock.ts'
import {
  migrateSqliteStore,
  openSqliteStore,
  type SqliteOptions,
  type SqliteStore,
} from '../../server/src/store/sqlite/open.ts'
import { resetClock } from '../../server/src/store/offline/sqlite/act-alone.ts'
import { databaseOf, isDatabaseUrl } from '../databases/postgres-cluster.ts'
import { addressOf, wayToStores } from '../databases/postgres-store.ts'
import { makeStoreDatabase } from '../databases/postgres-template.ts'

/** The mode of the file as the program makes it. */
const STORE_MODE = 0o600
export const START = Date.UTC(2026, 10, 21, 9, 30, 0)
const DAY_MS = 86_400_000

export const KEEP_LONG: Retention = { expiredMs: 7 * DAY_MS, endedMs: 400 * DAY_MS }

export const act = (kind: ActKind, note: string | null = null): Act => ({
  kind,
  actor: { type: 'cli', id: 'tester' },
  note,
  requestId: 'test-request',
  source: null,
})

/** A signing key that nothing signs with: the store keeps it and never opens it. */
export const someSigningKey = (alg: 'ES256' | 'EdDSA' = 'ES256'): SealedSigningKey => {
  const kid = randomUUID()
  const ec = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', alg: 'ES256' } as const
  const okp = { kty: 'OKP', crv: 'Ed25519', x: 'x', alg: 'EdDSA' } as const
  return {
    publicJwk: { ...(alg === 'ES256' ? ec : okp), kid, use: 'sig' },
    thumbprint: kid,
    sealedPrivateKey: randomBytes(60),
    keyEncryptionKeyId: 'test',
  }
}

/** A store as tests use it, whichever it is. */
export type TestedStore = Omit<SqliteStore, 'host' | 'connect'>

type OpenOptions = Omit<SqliteOptions, 'file' | 'timing'> & { readonly timing?: Timing }

/** The factor of a deadline over production: which of two deadlines comes first stays the same. */
const PATIENCE = 15

/** The deadlines that a slow machine could miss. */
const MISSED = [
  'answerMs',
  'connectMs',
  'databaseAnswerMs',
  'idleTransactionMs',
  'keyReadingMs',
  'pipelinedMs',
  'signInAnswerMs',
  'startWaitMs',
  'statementMs',
  'storeMs',
] as const

/** The waits of a loaded machine: only a test of what is late has less patience. */
export const PATIENT: Timing = {
  ...TIMING,
  ...Object.fromEntries(MISSED.map(name => [name, PATIENCE * TIMING[name]])),
  closeQuietMs: 0,
  closeIdleMs: 0,
}

/** Opens the store in a file, or the one in the database of that address. */
export const openTestedStore = async ({ file, ...given }: OpenOptions & { file: string }): Promise<TestedStore> => {
  const options = { timing: PATIENT, writer: 'inline' as const, ...given }
  if (!isDatabaseUrl(file)) return openSqliteStore({ file, ...options })
  return openPostgresStore({ address: await addressOf(databaseOf(file), wayToStores()), ...options })
}

export type TestStore = {
  readonly store: TestedStore
  readonly clock: ManualClock
  /** The path of the embedded store; on PostgreSQL the address of the database. */
  readonly file: string
  /** Closes the store and opens it again; null leaves fills and retention undone, as in the CLI. */
  readonly reopen: (retention: Retention | null) => Promise<TestStore>
  /** Closes the store and removes its folder. */
  readonly dispose: () => Promise<void>
}

export type Place = { readonly file: string; readonly clock: ManualClock; readonly remove: () => Promise<void> }

const adopt = (store: TestedStore, place: Place): TestStore => ({
  store,
  clock: place.clock,
  file: place.file,
  reopen: async retention => {
    await store.close()
    const { file, clock } = place
    return adopt(await openTestedStore({ file, retention, clock }), place)
  },
  dispose: async () => {
    await store.close()
    await place.remove()
  },
})

/** Which store the tests of this process are about. */
export const isPostgresTested = (): boolean => process.env['MINTMARK_TEST_STORE'] === 'postgres'

/** A test of what only the embedded store has: its plans, its files, its way to lock. */
export const testEmbedded = (title: string, work: (t: TestContext) => Promise<void> | void): void => {
  if (!isPostgresTested()) void test(title, work)
}

/** A test of what only a database has: other programs beside this one. */
export const testDatabase = (title: string, work: (t: TestContext) => Promise<void>): void => {
  if (isPostgresTested()) void test(title, work)
}

/** Migrated stores by the time at which they were made: to copy one is quicker than to migrate one. */
const images = new Map<number, Buffer>()

const writeStore = async (file: string, start: number): Promise<void> => {
  const image = images.get(start)
  if (image !== undefined) {
    writeFileSync(file, image, { mode: STORE_MODE })
    return
  }
  await migrateSqliteStore({ file, timing: TIMING, madeBy: 'migrate', now: start })
  images.set(start, readFileSync(file))
}

const makeFile = async (start: number): Promise<Place> => {
  const file = join(mkdtempSync(join(tmpdir(), 'mintmark-store-')), 'mintmark.db')
  await writeStore(file, start)
  const remove = async (): Promise<void> => rmSync(join(file, '..'), { recursive: true, force: true })
  return { file, clock: makeManualClock(start), remove }
}

const makeDatabase = async (start: number): Promise<Place> => {
  const { url, clock, drop } = await makeStoreDatabase(start)
  return { file: url, clock, remove: drop }
}

/** Sets the clock of a store that nobody has opened back to what its machine says; all tokens end. */
export const resetTestedClock = (
  { file, clock }: Pick<TestStore, 'file' | 'clock'>,
  done: Act,
): void | Promise<void> =>
  isDatabaseUrl(file)
    ? addressOf(databaseOf(file)).then(address => resetDatabaseClock({ address, timing: TIMING }, done))
    : resetClock({ file, timing: TIMING, act: done, wall: clock.wall() })

/** A place with a migrated store that nobody has opened. */
export const makePlace = (start: number): Promise<Place> => (isPostgresTested() ? makeDatabase : makeFile)(start)

/** A migrated store with a signing key. With `retention: null` cut-offs stay open: nothing fills them. */
export const makeTestStore = async (
  retention: Retention | null = KEEP_LONG,
  start = START,
  writer: StoreOptions['writer'] = 'inline',
): Promise<TestStore> => {
  const place = await makePlace(start)
  const { file, clock } = place
  const store = await openTestedStore({ file, retention, clock, writer })
  await store.signingKeys.createFirst(someSigningKey(), act('signing_key.create'))
  return adopt(store, place)
}

export type TestAgent = { readonly id: string; readonly clientId: string; readonly credentialId: string }

export const createAgent = async (
  store: Pick<TestedStore, 'agents'>,
  lifetimeSeconds: number | null = null,
  settings: Partial<AgentSettings> = {},
): Promise<TestAgent> => {
  const [id, credentialId] = [randomUUID(), randomUUID()]
  const agent = { ...BLANK_SETTINGS, id, clientId: `client-${id}`, name: `agent ${id}` }
  const allowed = { scopes: ['db:*'], resources: ['*'], lifetimeSeconds, ...settings }
  const credential = { id: credentialId, secretHash: randomBytes(32).toString('hex') }
  const created = await store.agents.create({ ...agent, ...allowed, credential }, act('agent.create'))
  if (typeof created === 'string') throw new Error(created)
  return { id, clientId: agent.clientId, credentialId }
}

export type TokenWish = {
  readonly lifetimeSeconds?: number
  readonly scope?: string
  readonly audience?: readonly string[]
}

/** Rows as an issue to this agent would write them now. */
export const newTokens = async (
  store: TestedStore,
  agent: TestAgent,
  wishes: readonly TokenWish[],
): Promise<readonly NewToken[]> => {
  const view = await store.agents.viewForIssue([agent.clientId], 'fresh')
  const [client] = view.clients
  const [credential] = client?.credentials ?? []
  if (client === undefined || credential === undefined) throw new Error('The agent is not in the store.')
  return wishes.map(({ lifetimeSeconds = 300, scope = 'db:read', audience = ['https://api.example'] }) => ({
    id: makeTokenId(view.now, randomBytes(10)),
    lifetimeSeconds,
    digest: randomBytes(16).toString('hex'),
    agent: client.number,
    credential: credential.number,
    signingKey: view.signingKey.number,
    scope,
    audience,
    seq: view.seq,
    limits: limitsOf(client.agent),
  }))
}

/** Issues tokens to an agent at the clock's time; their addresses. */
export const issue = async (
  store: TestedStore,
  agent: TestAgent,
  ...wishes: readonly TokenWish[]
): Promise<readonly TokenAddress[]> => {
  const tokens = await newTokens(store, agent, wishes)
  const outcomes = await store.ledger.insert(tokens)
  const failed = outcomes.find(outcome => outcome !== 'inserted')
  if (failed instanceof Error) throw failed
  if (failed !== undefined) throw new Error(typeof failed === 'string' ? failed : failed.limit)
  return tokens.map(({ id, lifetimeSeconds }) => ({ id, lifetimeSeconds }))
}

export const NO_NAME_FILTERS: NameFilters = { name: null, namePrefix: null, search: null }

export const NO_AGENT_FILTERS: AgentFilters = {
  ...NO_NAME_FILTERS,
  idPrefix: null,
  ids: [],
  clientIds: [],
  disabled: null,
  grantType: null,
  unusedSince: null,
  expiresBefore: null,
  owner: null,
  labels: [],
}

export const NO_TOKEN_FILTERS: TokenFilters = {
  agentId: null,
  clientId: null,
  scope: null,
  issuedAfter: null,
  issuedBefore: null,
  subjectId: null,
  parentId: null,
  rootId: null,
  credentialId: null,
  kid: null,
  audience: null,
  agents: null,
}

export const NO_HISTORY_FILTERS: HistoryFilters = {
  ...NO_TOKEN_FILTERS,
  reasons: null,
  endedAfter: null,
  endedBefore: null,
  endedBy: null,
  revocationId: null,
}
