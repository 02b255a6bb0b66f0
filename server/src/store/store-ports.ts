// The ports of a store over its reader, its writer and its own way to look up and insert tokens. The ports that only pass
// on to programs and jobs are here; the others have a file each.
import type { AuditSeals } from '../ports/audit-log.ts'
import type { ImportRepository } from '../ports/imports.ts'
import type { Ports, StoreHealth } from '../ports/ports.ts'
import type { RevocationRepository } from '../ports/revocations.ts'
import type { KeysSeen, SigningKeyRepository } from '../ports/signing-keys.ts'
import type { RestoreRepository } from '../ports/secret-repositories.ts'
import type { Timing } from '../ports/timing.ts'
import { makeAuditLog } from './audit/audit-log.ts'
import { checkPart, type SealKeys } from './audit/check-part.ts'
import type { OnFault } from './background.ts'
import { type FeedParts, makeRevocationFeed, NO_SUFFIX } from './feed/read-feed.ts'
import { makeVerifiers } from './feed/verifiers.ts'
import type { Writer } from './subjects.ts'
import type { NameCaches } from './ledger/name-caches.ts'
import { type MetricFacts, noReplication, readMetricFacts, type ReplicationFacts } from './metrics/facts.ts'
import { makeLiveCounter } from './metrics/count-live.ts'
import { type CountEnds, makeEndCounter } from './ledger/count-ends.ts'
import { dryRunRevocation, showRevocation } from './ledger/revocations.ts'
import { type HotLedger, makeTokenLedger } from './ledger/token-ledger.ts'
import {
  makeAgentRepository,
  type ReadSigningKey,
  makeApiKeyRepository,
  type ReadApiKeys,
} from './repositories/client-repositories.ts'
import { makeCredentialRepository, makeLeakedSecretRepository } from './repositories/credential-repository.ts'
import { isAnySuspended } from '../domain/restore.ts'
import { readRestoreState, readSuspended } from './repositories/suspensions.ts'
import { makeManagedRecords } from './repositories/managed/managed-records.ts'
import { makeDryRuns } from './repositories/dry-runs.ts'
import { makeIssuerRepository } from './repositories/issuer-repository.ts'
import { makeSessionRepository } from './repositories/session-repository.ts'
import { listKeys, readKey, readPublished, readSigningKeys, seenAt } from './signing-keys/signing-keys.ts'
import type { Reader, Snapshot } from './snapshot.ts'
import type { Transaction } from './transaction.ts'
import { makeUsageCounts } from './usage/usage-repository.ts'
import { Unavailable } from '../domain/refusal.ts'
import { given, type Program } from './statement-program.ts'

type Stored =
  | 'ledger'
  | 'dryRuns'
  | 'revocations'
  | 'agents'
  | 'apiKeys'
  | 'credentials'
  | 'leakedSecrets'
  | 'imports'
  | 'managed'
  | 'issuers'
  | 'signingKeys'
  | 'audit'
  | 'health'
  | 'usage'
  | 'feed'
  | 'verifiers'
  | 'sessions'

export type StorePorts = Pick<Ports, Stored> & {
  readonly restores: RestoreRepository
  readonly facts: () => Promise<MetricFacts>
  /** The port for seals that were made under these keys. */
  readonly auditSealsUnder: (keys: SealKeys) => AuditSeals
  /** Hands over what was counted and not written yet. Never rejects. */
  readonly settle: () => Promise<void>
}

/** The times by which the ports of a store go. */
export type StoreTiming = Pick<
  Timing,
  'handOverMs' | 'liveCountOldMs' | 'liveCountWaitMs' | 'sessionPollMs' | 'storeMs' | 'usageFreshMs'
>

/** What a store does in its own way, and what it shares with the rest. */
type OwnPorts = {
  readonly hot: HotLedger
  readonly health: StoreHealth
  readonly lastGiven: Transaction['lastGiven']
  readonly nameCaches: NameCaches
  readonly timing: StoreTiming
  readonly onFault: OnFault
  readonly readReplication?: () => Program<ReplicationFacts>
  /** Reads API keys in batches; without it each is read by a statement of its own. */
  readonly readApiKeys?: ReadApiKeys
  /** Reads the key that signs; without it that key is read like any other. */
  readonly readSigningKey?: ReadSigningKey
  readonly feed?: FeedParts
}

const listPage = (after: number | null, limit: number) =>
  function* (snapshot: Snapshot): Program<KeysSeen> {
    return yield* seenAt(snapshot, yield* listKeys(after, limit))
  }

const showOne = (kid: string) =>
  function* (snapshot: Snapshot): Program<KeysSeen> {
    const key = yield* readKey(kid)
    return yield* seenAt(snapshot, key === undefined ? [] : [key])
  }

const makeSigningKeyRepository = ({ read, readUntimed }: Reader, { call }: Writer): SigningKeyRepository => ({
  published: () => readUntimed(readPublished),
  createFirst: (key, act) => call('createFirstKey', { key, act }),
  sealed: () => readUntimed(readSigningKeys),
  list: (after, limit) => read(listPage(after, limit)),
  show: kid => read(showOne(kid)),
  createNext: (key, act) => call('createNextKey', { key, act }),
  import: (key, act) => call('importKey', { key, act }),
  rotate: (rotation, act) => call('rotateKey', { ...rotation, act }),
  retire: (retirement, act) => call('retireKey', { ...retirement, act }),
  compromise: (compromise, act) => call('compromiseKey', { ...compromise, act }),
})

const makeImportRepository = ({ call }: Writer): ImportRepository => ({
  create: (agents, act, isTrial) => call('importAgents', { agents, act, isTrial }),
  convert: (credentialId, secretHash, act, until) => call('convertSecret', { credentialId, secretHash, act }, until),
})

const makeRestoreRepository = ({ read }: Reader, { call }: Writer): RestoreRepository => ({
  state: () => read(readRestoreState),
  accept: (acceptance, act) => call('acceptRestored', { acceptance, act }),
  recordBackup: (madeAt, act) => call('recordBackup', { madeAt, act }),
})

type Counting = { readonly nameCaches: NameCaches; readonly countEnds: CountEnds }

const makeRevocationRepository = (
  reader: Reader,
  { call }: Writer,
  { nameCaches, countEnds }: Counting,
): RevocationRepository => ({
  create: (revocation, act) => call('createRevocation', { revocation, act }),
  createForIssuer: (revocation, once, act) => call('revokeForIssuer', { revocation, ...once, act }),
  dryRun: (conditions, named) => dryRunRevocation(countEnds, { nameCaches, named }, conditions),
  show: id => reader.readUntimed(() => showRevocation(id)),
})

export const makeStorePorts = (reader: Reader, writer: Writer, own: OwnPorts): StorePorts => {
  const { hot, health, nameCaches, onFault, readReplication = noReplication } = own
  const audit = makeAuditLog(reader, writer, own)
  const { feed: feedParts = NO_SUFFIX } = own
  const feed = makeRevocationFeed(reader, feedParts)
  const verifiers = makeVerifiers(reader, writer, { feed, epochSuffix: feedParts.epochSuffix, onFault })
  const countLive = makeLiveCounter(reader, own.timing)
  const usage = makeUsageCounts(reader, writer, { ...own, countLive })
  const countEnds = makeEndCounter(reader, own.timing)
  return {
    ledger: makeTokenLedger(reader, nameCaches, writer, hot),
    dryRuns: makeDryRuns(countEnds),
    revocations: makeRevocationRepository(reader, writer, { nameCaches, countEnds }),
    agents: makeAgentRepository(reader, writer, own.readSigningKey),
    apiKeys: makeApiKeyRepository(reader, writer, onFault, own.readApiKeys),
    credentials: makeCredentialRepository(reader, writer),
    leakedSecrets: makeLeakedSecretRepository(reader, writer),
    managed: makeManagedRecords(reader, writer, countEnds),
    imports: makeImportRepository(writer),
    issuers: makeIssuerRepository(reader, writer),
    signingKeys: makeSigningKeyRepository(reader, writer),
    restores: makeRestoreRepository(reader, writer),
    audit,
    health,
    usage,
    feed,
    verifiers,
    sessions: makeSessionRepository(reader, writer, own),
    auditSealsUnder: keys => ({ check: after => reader.readUntimed(() => checkPart(keys, after, own.lastGiven)) }),
    facts: async () => {
      const facts = await reader.read(snapshot => readMetricFacts(snapshot, { readReplication, ...feedParts }))
      return { ...facts, liveTokens: await countLive() }
    },
    settle: async () => {
      await audit.settle()
      // What is used is counted beside the verifier that reports it.
      await verifiers.settle()
      await usage.settle()
    },
  }
}

/** `verifyWrite` writes, waits until that is durable, and changes nothing. */
export const makeHealth = (reader: Reader, verifyWrite: () => Promise<unknown>): StoreHealth => ({
  check: async () => {
    try {
      await verifyWrite()
      return await reader.read(() => given(null))
    } catch (fault) {
      if (fault instanceof Unavailable) return fault.message
      throw fault
    }
  },
  isAnySuspended: async () => isAnySuspended(await reader.read(readSuspended)),
})
