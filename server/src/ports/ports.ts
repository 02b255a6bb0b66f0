// Every effect that operations need. store/ and keys/ implement these ports; compose/ joins them. A method is one intention
// and one transaction. It throws Unavailable if the store does not answer in time.
import type { Act } from '../domain/audit/act.ts'
import type { Agent, Client, Switched } from '../domain/clients/agent.ts'
import type { Delegation } from '../domain/clients/delegation.ts'
import type { ChangeObstacle, WantedChange } from '../domain/clients/change-agent.ts'
import type { TokenAddress } from '../domain/ledger/claims.ts'
import type { NewPrincipal } from '../domain/ledger/token-subject.ts'
import type { CertificateSources } from '../domain/clients/client-certificate.ts'
import type { DpopNoncePolicy } from '../domain/ledger/dpop.ts'
import type { Digest, Sha256 } from '../domain/text/text.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { CutOffConditions } from '../domain/ledger/ledger.ts'
import type { AgentLimits, LimitName } from '../../../api/values/limits.ts'
import type { NameKinds } from '../domain/lists/names.ts'
import type {
  AgentFilters,
  EndedTokenRecord,
  HistoryFilters,
  KeyedPage,
  KeyedRequest,
  LineageOf,
  LineageRecord,
  NamedAncestor,
  Page,
  PageRequest,
  TokenFilters,
  TokenLife,
  TokenRecord,
} from '../domain/lists/page.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import type { LedgerExplanation } from '../domain/ledger/explanation.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import type { AgentMarks } from '../domain/ledger/selection.ts'
import type { Signing } from '../domain/ledger/plan.ts'
import type { PublicJwk, SigningKey } from '../domain/keys/signing-key.ts'
import type { SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { AuditLog, AuditSeals } from './audit-log.ts'
import type { ClientAssertions, ClientCertificates, DpopProofs } from './client-keys.ts'
import type { ImportedSecrets, ImportRepository } from './imports.ts'
import type {
  ApiKeyRepository,
  CredentialRepository,
  LeakedSecretRepository,
  SingleUse,
} from './secret-repositories.ts'
import type { SigningKeyMaker, SigningKeyRepository } from './signing-keys.ts'
import type { RevocationFeed } from './revocation-feed.ts'
import type { RevocationRepository } from './revocations.ts'
import type { ForeignIssuers, IssuerPorts } from './issuers.ts'
import type { ManagedRecords } from './managed-records.ts'
import type { Operators } from './key-sets.ts'
import type { Randomness, Secrets } from './secrets.ts'
import type { Settings } from './settings.ts'
import type { DryRuns } from './dry-runs.ts'
import type { Sessions, SignIn } from './sessions.ts'
import type { Timing } from './timing.ts'
import type { TokenCodec } from './token-codec.ts'
import type { UsageCounts } from './usage.ts'
import type { Verifiers } from './verifiers.ts'

/** `cached` may answer from memory if `service.seq` is unchanged; a refusal needs `fresh`. */
export type Freshness = 'cached' | 'fresh'

/** The snapshot on which decisions to issue are based. `seq` is its `service.seq`, `now` the store's clock. */
export type IssueView = {
  readonly seq: number
  readonly now: Milliseconds
  readonly signingKey: SigningKey
  /** One for each requested client id, in that order. */
  readonly clients: readonly (Client | undefined)[]
}

/** A checked DPoP proof, reduced to what its token needs. */
export type TokenProof = SingleUse & {
  /** The thumbprint of the proven key. */
  readonly jkt: string
}

/** A token to be written; the numbers are the store's, from the {@link IssueView}. */
export type NewToken = {
  readonly id: string
  readonly lifetimeSeconds: number
  readonly digest: Digest
  readonly agent: number
  readonly credential: number
  readonly signingKey: number
  /** Sorted, each item once, joined by one space. */
  readonly scope: string
  readonly audience: readonly string[]
  readonly seq: number
  /** The agent's; null: none. */
  readonly limits: AgentLimits | null
  /** Recorded with the token, so that it gets no other. */
  readonly proof?: SingleUse
  /** The client's assertion, if it authenticated with one that may be used once; the ID-JAG that it is got for. */
  readonly assertion?: SingleUse
  readonly idJag?: SingleUse
  /** The token that it is got for; it expires no later. Absent: it has no parent. */
  readonly parent?: TokenAddress
  /** On whose behalf it acts, where it has no parent. Absent: for its agent. */
  readonly principal?: NewPrincipal
}

/** The limit of its agent that a token would exceed, and in how many whole seconds (at least 1) it would not. */
export type LimitReached = { readonly limit: LimitName; readonly retryAfterSeconds: number }

/**
 * `decide_again`: its `seq` is no longer the service's. `no_room`: the ledger has none for its lifetime, scope or audiences. `proof_used`,
 * `proof_late`, `assertion_used`, `id_jag_used`: its proof or assertion was used, or is too old by now. `parent_ended`: its parent, or an ancestor, has
 * ended. `subject_blocked`: its principal is. `earlier_program`: one uses the store that does not look at ancestors, or at principals. Only `inserted` is written and counted.
 */
export type InsertOutcome =
  | 'inserted'
  | 'decide_again'
  | 'no_room'
  | 'proof_used'
  | 'proof_late'
  | ('assertion_used' | 'id_jag_used')
  | ('parent_ended' | 'subject_blocked')
  | 'earlier_program'
  | LimitReached

/** A row found by a look-up. `dead` is decided by domain/ledger/ledger.ts in one snapshot. */
export type FoundToken = TokenRecord & {
  readonly dead: boolean
  readonly digest: Digest
  readonly publicJwk: PublicJwk
  /** `service.seq` as read by the decision to issue it. */
  readonly seq: number
  readonly ancestors: readonly NamedAncestor[]
}

export interface TokenLedger {
  /**
   * Never from a cache: a token ended by an acknowledged act is dead here. Undefined for an ended or unknown token without a row.
   * An address that is undefined, that of a text which cannot be a token of ours, is looked up elsewhere, and nothing is found:
   * to find nothing takes as long, by one read of the ledger too.
   */
  find(addresses: readonly (TokenAddress | undefined)[]): Promise<readonly (FoundToken | undefined)[]>
  /**
   * Writes a group durably; one outcome for each token, in order. Of several callers at an agent's limit, as many as fit
   * are inserted. An Error means that its token was not written, Unavailable that it may have been; a thrown error means the
   * same for all. A write that has not started at `until` is not started.
   */
  insert(tokens: readonly NewToken[], until?: MonotonicMilliseconds): Promise<readonly (InsertOutcome | Error)[]>
  /** Runs `work` for at most a second while no act (on SQLite: of this process) can overtake what it inserts. */
  exclusively<T>(work: (ledger: Pick<TokenLedger, 'insert'>) => Promise<T>, until?: MonotonicMilliseconds): Promise<T>
  /** Ends one token. Of two callers one gets `ended`; the first ending stays. All outcomes are durable. None starts after `until`. */
  end(
    address: TokenAddress,
    reason: EndingReason,
    act: Act,
    until?: MonotonicMilliseconds,
  ): Promise<'ended' | 'already_ended' | 'unknown'>
  /** Ends every token that matches the conditions, effective when acknowledged; rows are updated later. Returns the number of the act. */
  endAll(conditions: CutOffConditions, reason: EndingReason, act: Act): Promise<number>
  /** The whole life of the token with this id, with the names of these kinds; undefined if it is unknown or no longer kept. */
  show(tokenId: string, named?: NameKinds): Promise<TokenLife | undefined>
  /** Shows the token with every check that decides whether it is dead, in one snapshot; never from a cache, like `find`. */
  explain(tokenId: string, named?: NameKinds): Promise<LedgerExplanation | undefined>
  /**
   * The store's numbers of the agents with all of these marks, AGENTS_SELECTED_MAX at most: of those that are not deleted, or of
   * all that ever were, with the marks that they had when they were deleted.
   */
  selectAgents(marks: AgentMarks, among: 'kept' | 'ever'): Promise<readonly number[] | 'too_many_agents'>
  listLive(request: PageRequest<TokenFilters>): Promise<Page<TokenRecord>>
  listEnded(request: PageRequest<HistoryFilters>): Promise<Page<EndedTokenRecord>>
  /** The tree of which a token is a member, parents before their children; undefined if it is unknown or no longer kept. */
  listLineage(request: PageRequest<LineageOf>): Promise<Page<LineageRecord> | undefined>
}

export type NewAgent = Omit<Agent, 'managedBy' | 'createdAt' | 'disabledAt' | 'suspendedAt'> & {
  readonly credential: { readonly id: string; readonly secretHash: Sha256 }
}

/** None of these returns a deleted agent; the ledger still refers to it. */
export interface AgentRepository {
  viewForIssue(clientIds: readonly string[], freshness: Freshness): Promise<IssueView>
  /** `lifetimes_full`: the agent's lifetime would be the 17th in use. Of two callers with one key one creates. */
  create(agent: NewAgent, act: Act): Promise<OrRefusal<Agent> | 'name_taken' | 'lifetimes_full' | AlreadyExists>
  show(agentId: string): Promise<Agent | undefined>
  /** Lists agents by name; on the first page the agent with the searched id comes before all others. */
  list(request: KeyedRequest<AgentFilters>): Promise<KeyedPage<Agent>>
  /** Who may act for the agent, and for whom it may act; undefined if no agent has this id. */
  delegation(agentId: string): Promise<Delegation | undefined>
  /**
   * Changes only the named members: of two simultaneous changes of different members both take effect. Ends the tokens that
   * carry what the agent lost. A change that changes nothing writes nothing.
   */
  change(wanted: WantedChange, act: Act): Promise<OrRefusal<Agent> | ChangeObstacle>
  /** The token lifetimes in use, in seconds and ascending: in the ledger, or set on an agent. */
  lifetimes(): Promise<readonly number[]>
  /** Refuses new tokens and ends the live ones (`agent_disabled`), both effective when acknowledged. */
  disable(agentId: string, act: Act): Promise<Switched | undefined>
  /** Lets the agent request tokens again. No ended token comes back. */
  enable(agentId: string, act: Act): Promise<Switched | undefined>
  /** Disables the agent permanently, ends its live tokens (`agent_deleted`) and frees its name, not its id. */
  delete(agentId: string, act: Act): Promise<'deleted' | 'unknown'>
}

export interface StoreHealth {
  /** Why the store cannot serve, in a sentence for an operator; null if it can. Performs a durable write. */
  check(): Promise<string | null>
  /** Whether something waits, since a restore, for an operator to accept it. Throws Unavailable. */
  isAnySuspended(): Promise<boolean>
}

/** The configuration that operations need. */
export type ServiceProfile = {
  /** `iss` of every token: the base URL, without a trailing slash. */
  readonly issuer: string
  readonly defaultAudience: string
  readonly lifetimeSeconds: number
  /** Advertised scopes; null: none. */
  readonly scopesSupported: readonly string[] | null
  readonly dpopNonce: DpopNoncePolicy
  readonly certificates: CertificateSources
  /** What own claims of agents may be called, beside URIs. */
  readonly claimNames: readonly string[]
  /** The algorithm of new signing keys. */
  readonly signingAlgorithm: SigningAlgorithm
  /** How long a key signs; null: until an operator rotates. */
  readonly rotationDays: number | null
}

export type Ports = IssuerPorts & {
  readonly ledger: TokenLedger
  readonly dryRuns: DryRuns
  readonly revocations: RevocationRepository
  readonly agents: AgentRepository
  readonly apiKeys: ApiKeyRepository
  readonly credentials: CredentialRepository
  readonly leakedSecrets: LeakedSecretRepository
  readonly imports: ImportRepository
  readonly managed: ManagedRecords
  readonly signingKeys: SigningKeyRepository
  readonly signingKeyMaker: SigningKeyMaker
  readonly audit: AuditLog
  readonly auditSeals: AuditSeals
  readonly health: StoreHealth
  readonly usage: UsageCounts
  readonly feed: RevocationFeed
  readonly verifiers: Verifiers
  readonly codec: TokenCodec
  readonly proofs: DpopProofs
  readonly assertions: ClientAssertions
  readonly certificates: ClientCertificates
  readonly operators: Operators
  readonly sessions: Sessions
  readonly settings: Settings
  /** Null where no operator can sign in. */
  readonly signIn: SignIn | null
  readonly secrets: Secrets
  /** Signs plans of revocations. */
  readonly planSigning: Signing
  readonly importedSecrets: ImportedSecrets
  readonly randomness: Randomness
  readonly monotonic: () => MonotonicMilliseconds
  readonly timing: Timing
  readonly profile: ServiceProfile
}

type PartlyPorts = {
  readonly assertions: Pick<ClientAssertions, 'readKeys'>
  /** Null where the issuer of the tokens is not known. */
  readonly codec: Pick<TokenCodec, 'read' | 'isSignedBy' | 'classify'> | null
  /** Null at a terminal, which asks no other server. */
  readonly foreignIssuers: Pick<ForeignIssuers, 'discover'> | null
  readonly importedSecrets: Pick<ImportedSecrets, 'hash'>
  readonly operators: Pick<Operators, 'audiences'>
  /** The issuer is empty if unknown: then URLs in responses are relative to it. Null: the audience is not known. */
  readonly profile: Pick<ServiceProfile, 'claimNames' | 'issuer' | 'lifetimeSeconds' | 'rotationDays'> & {
    readonly defaultAudience: string | null
  }
}

/** The ports of administration: nothing that signs tokens or verifies JWTs of others. */
export type AdministrationPorts = Omit<Ports, keyof PartlyPorts | 'feed' | 'health' | 'proofs' | 'signIn'> & PartlyPorts
