// Every effect the operations need, on one screen. The store and keys/ implement these; compose.ts joins them.
// A method is one intention and one transaction. Where the truth cannot be had in time it throws Unavailable.
import type { Act } from '../domain/audit/act.ts'
import type { Attempt, RefusalCount, RefusalFilters } from '../domain/audit/attempt.ts'
import type { AuditEntry, AuditFilters } from '../domain/audit/audit.ts'
import type { Agent, Client } from '../domain/clients/agent.ts'
import type { AgentChange } from '../domain/clients/change-agent.ts'
import type { AccessTokenClaims, Confirmation, TokenAddress } from '../domain/ledger/claims.ts'
import type { CertificateSources } from '../domain/clients/client-certificate.ts'
import type { DpopNoncePolicy } from '../domain/ledger/dpop.ts'
import type { Digest, Sha256 } from '../domain/text/text.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { IntrospectionClaims } from '../domain/ledger/introspection.ts'
import type { CutOffConditions } from '../domain/ledger/ledger.ts'
import type { AgentLimits, LimitName } from '../../../api/values/limits.ts'
import type {
  AgentFilters,
  EndedTokenRecord,
  HistoryFilters,
  KeyedPage,
  KeyedRequest,
  Page,
  PageRequest,
  TokenFilters,
  TokenLife,
  TokenRecord,
} from '../domain/lists/page.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import type {
  Revocation,
  RevocationConditions,
  RevocationObstacle,
  RevocationPreview,
} from '../domain/ledger/revocation.ts'
import type { PublicJwk, SigningKey } from '../domain/keys/signing-key.ts'
import type { SigningAlgorithm } from '../../../api/values/algorithms.ts'
import type { Source } from '../domain/source.ts'
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { ClientAssertions, ClientCertificates, DpopProofs } from './client-keys.ts'
import type { ImportedSecrets, ImportRepository } from './imports.ts'
import type {
  ApiKeyRepository,
  CredentialRepository,
  LeakedSecretRepository,
  SecretKind,
  SingleUse,
} from './secret-repositories.ts'
import type { SigningKeyMaker, SigningKeyRepository } from './signing-keys.ts'
import type { Operators } from './key-sets.ts'

/** `cached` may answer from memory where `service.seq` is unchanged; a refusal needs `fresh`. */
export type Freshness = 'cached' | 'fresh'

/** What decisions to issue rest on: one snapshot. `seq` is `service.seq` there, `now` the store's clock. */
export type IssueView = {
  readonly seq: number
  readonly now: Milliseconds
  readonly signingKey: SigningKey
  /** One for each client id asked for, in that order. */
  readonly clients: readonly (Client | undefined)[]
}

/** A DPoP proof that was checked, as far as its token needs it. */
export type TokenProof = SingleUse & {
  /** The thumbprint of the key that it proves. */
  readonly jkt: string
}

/** A token as it is written; the numbers are the store's own, from the {@link IssueView}. */
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
  /** Of its agent; null: none. */
  readonly limits: AgentLimits | null
  /** Remembered with the token, so that it gets no other. */
  readonly proof?: SingleUse
  /** The client's assertion, where it authenticated itself by one that may be used once. */
  readonly assertion?: SingleUse
}

/** Which limit of its agent a token would exceed, and in how many seconds it would not; whole, at least 1. */
export type LimitReached = { readonly limit: LimitName; readonly retryAfterSeconds: number }

/**
 * `decide_again`: its `seq` is no longer the service's. `no_room`: it would be of one lifetime, scope or list of
 * audiences more than the ledger takes. `proof_used`, `proof_late`: its proof got a token before, or is too old by now.
 * `assertion_used`: its assertion was used before, or is too old by now. None but `inserted` is written or counted.
 */
export type InsertOutcome =
  | 'inserted'
  | 'decide_again'
  | 'no_room'
  | 'proof_used'
  | 'proof_late'
  | 'assertion_used'
  | LimitReached

/** A row as a look-up finds it. `dead` is domain/ledger/ledger.ts applied to one snapshot. */
export type FoundToken = TokenRecord & {
  readonly dead: boolean
  readonly digest: Digest
  readonly publicJwk: PublicJwk
}

export interface TokenLedger {
  /** Never from a cache: what an acknowledged act ended is dead here. A token that was moved or never was: undefined. */
  find(addresses: readonly TokenAddress[]): Promise<readonly (FoundToken | undefined)[]>
  /**
   * Writes a group durably; one outcome a token, in order. Where several callers are at the edge of an agent's limit, as
   * many as fit are inserted. An Error is that of a token which was not written, and with Unavailable of one which may
   * have been; where it throws that is so of all. What has not begun at `until` is not begun.
   */
  insert(tokens: readonly NewToken[], until?: MonotonicMilliseconds): Promise<readonly (InsertOutcome | Error)[]>
  /**
   * Runs `work` while no act that can refuse or end a token is written, for at most a second: what it inserts need not be
   * decided again. On SQLite an act of another process can still come between, and the outcome says so.
   */
  exclusively<T>(work: (ledger: Pick<TokenLedger, 'insert'>) => Promise<T>, until?: MonotonicMilliseconds): Promise<T>
  /**
   * Ends one token. Of two callers one gets `ended`; what ended it first stays. All answers are durable. What has not
   * begun at `until` is not begun.
   */
  end(
    address: TokenAddress,
    reason: EndingReason,
    act: Act,
    until?: MonotonicMilliseconds,
  ): Promise<'ended' | 'already_ended' | 'unknown'>
  /** Ends every token that the conditions cover, from the acknowledgement on; the rows follow. Gives the number of the act. */
  endAll(conditions: CutOffConditions, reason: EndingReason, act: Act): Promise<number>
  /** The whole life of the token with this id, whatever its lifetime; undefined where none is known, or no more. */
  show(tokenId: string): Promise<TokenLife | undefined>
  listLive(request: PageRequest<TokenFilters>): Promise<Page<TokenRecord>>
  listEnded(request: PageRequest<HistoryFilters>): Promise<Page<EndedTokenRecord>>
}

export type NewRevocation = Pick<Revocation, 'id' | 'conditions' | 'reason'>

/** `existing`: one with this id and the same conditions was made before, and stands as it was. */
export type RevocationMade = { readonly outcome: 'created' | 'existing'; readonly revocation: Revocation }

export interface RevocationRepository {
  /**
   * Ends every token that the conditions cover, from the acknowledgement on; the rows follow. Of two callers with one id
   * one gets `created`, and of two with one key too. Throws Unavailable where too many are open already.
   */
  create(revocation: NewRevocation, act: Act): Promise<RevocationMade | RevocationObstacle | AlreadyExists>
  /** Counts and samples what `create` would end now, and changes nothing. */
  preview(conditions: RevocationConditions): Promise<RevocationPreview | RevocationObstacle>
  show(id: string): Promise<Revocation | undefined>
}

export type NewAgent = Omit<Agent, 'createdAt' | 'disabledAt' | 'suspendedAt'> & {
  readonly credential: { readonly id: string; readonly secretHash: Sha256 }
}

export type WantedChange = {
  readonly agentId: string
  readonly change: AgentChange
  /** The audience of tokens where neither request nor agent names one; null where it is not known. */
  readonly serviceAudience: string | null
}

/** A deleted agent is in no answer of these; the ledger still names it. */
export interface AgentRepository {
  viewForIssue(clientIds: readonly string[], freshness: Freshness): Promise<IssueView>
  /** `lifetimes_full`: the agent's lifetime would be the 17th in use. Of two callers with one key one creates. */
  create(agent: NewAgent, act: Act): Promise<Agent | 'name_taken' | 'lifetimes_full' | AlreadyExists>
  show(agentId: string): Promise<Agent | undefined>
  /** By name; on the first page the agent whose id is searched for stands before all others. */
  list(request: KeyedRequest<AgentFilters>): Promise<KeyedPage<Agent>>
  /**
   * Changes what is named and nothing else: of two callers that name different members both hold. Ends the tokens that
   * carry what the agent lost. What changes nothing writes nothing.
   */
  change(wanted: WantedChange, act: Act): Promise<OrRefusal<Agent> | 'unknown' | 'name_taken' | 'lifetimes_full'>
  /** The token lifetimes in use, in seconds and ascending: in the ledger, or set on an agent. */
  lifetimes(): Promise<readonly number[]>
  /** Refuses new tokens and ends the live ones (`agent_disabled`), both from the acknowledgement on. */
  disable(agentId: string, act: Act): Promise<Agent | undefined>
  /** Lets the agent ask again. Nothing that was ended comes back. */
  enable(agentId: string, act: Act): Promise<Agent | undefined>
  /** Disables the agent for ever, ends its live tokens (`agent_deleted`) and frees its name, not its id. */
  delete(agentId: string, act: Act): Promise<'deleted' | 'unknown'>
}

export interface AuditLog {
  /** Newest first. An entry is written by the transaction of its act, and never changed. */
  list(request: PageRequest<AuditFilters>): Promise<Page<AuditEntry>>
  /** Newest first. */
  listRefusals(request: PageRequest<RefusalFilters>): Promise<Page<RefusalCount>>
  /** Counts at once and writes about a second later, without anybody waiting for it. */
  countRefusal(attempt: Attempt, source: Source): void
}

export interface StoreHealth {
  /** Why the store cannot serve, in a sentence for an operator; null when it can. Includes a durable write. */
  check(): Promise<string | null>
}

export type MintedToken = { readonly token: string; readonly digest: Digest }

/** A text that may be a token of ours: where its row would stand, and what the row's digest would be. */
export type TokenReference = TokenAddress & {
  readonly digest: Digest
  /** As true as the text is ours. */
  readonly cnf?: Confirmation
}

export interface TokenCodec {
  /** Signs one after another, in one go: a signature between two requests is a cold one. */
  mint(claims: readonly AccessTokenClaims[], key: SigningKey): readonly MintedToken[]
  /** Answers to introspection as JWTs of their own `typ` (RFC 9701 §5), one after another as `mint` does. */
  signIntrospections(claims: readonly IntrospectionClaims[], key: SigningKey): readonly string[]
  /** Strict: canonical base64url, three parts, bounded size. Undefined where the text cannot be ours. */
  read(text: string): TokenReference | undefined
  /** Whether a text that read() took is a token signed by this key, under any encoding of the signature. */
  isSignedBy(text: string, key: PublicJwk): Promise<boolean>
  /** As read(), for a revocation that must not miss: white space around it and any spelling of the signature pass. */
  readLenient(text: string): TokenReference | undefined
}

export interface Secrets {
  makeClientSecret(): string
  makeApiKey(): string
  /** What the text is by its form, prefix and checksum: a secret that this service may have made. */
  kindOf(text: string): SecretKind | undefined
  /** Of the UTF-8 text. */
  hash(text: string): Sha256
  /** Compares two hashes, or two digests, in constant time; what is neither equals nothing. */
  areEqual(a: string, b: string): boolean
}

export interface Randomness {
  bytes(count: number): Uint8Array
  /** A random UUID (version 4). */
  uuid(): string
}

/** What an operator configured, as the operations see it. */
export type ServiceProfile = {
  /** `iss` of every token: the base URL, without a trailing slash. */
  readonly issuer: string
  readonly defaultAudience: string
  readonly lifetimeSeconds: number
  /** Advertised scopes; null: none are. */
  readonly scopesSupported: readonly string[] | null
  readonly dpopNonce: DpopNoncePolicy
  readonly certificates: CertificateSources
  /** With which new signing keys sign. */
  readonly signingAlgorithm: SigningAlgorithm
}

export type Ports = {
  readonly ledger: TokenLedger
  readonly revocations: RevocationRepository
  readonly agents: AgentRepository
  readonly apiKeys: ApiKeyRepository
  readonly credentials: CredentialRepository
  readonly leakedSecrets: LeakedSecretRepository
  readonly imports: ImportRepository
  readonly signingKeys: SigningKeyRepository
  readonly signingKeyMaker: SigningKeyMaker
  readonly audit: AuditLog
  readonly health: StoreHealth
  readonly codec: TokenCodec
  readonly proofs: DpopProofs
  readonly assertions: ClientAssertions
  readonly certificates: ClientCertificates
  readonly operators: Operators
  readonly secrets: Secrets
  readonly importedSecrets: ImportedSecrets
  readonly randomness: Randomness
  readonly monotonic: () => MonotonicMilliseconds
  readonly profile: ServiceProfile
}

/** What administering takes: nothing that signs tokens, and nothing of the network. */
export type AdministrationPorts = Omit<
  Ports,
  'assertions' | 'codec' | 'operators' | 'health' | 'importedSecrets' | 'profile' | 'proofs'
> & {
  readonly assertions: Pick<ClientAssertions, 'isAddress' | 'readKeys'>
  readonly importedSecrets: Pick<ImportedSecrets, 'hash'>
  readonly profile: {
    /** Empty where it is not known: then addresses in answers are relative to it. */
    readonly issuer: string
    /** Null where it is not known. */
    readonly defaultAudience: string | null
    readonly lifetimeSeconds: number
  }
}
