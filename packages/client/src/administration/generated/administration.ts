// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { CallOptions, CreationOptions, Tryable } from '../call.ts'
import type { List } from '../lists.ts'
import type {
  AgentRecord,
  ChangeAgentBody,
  CreateAgentAnswer,
  CreateAgentBody,
  DeleteAgentQuery,
  DisableAgentBody,
  EnableAgentAnswer,
  EnableAgentBody,
  ListAgentsPage,
  ListAgentsQuery,
  ShowDelegationAnswer,
} from './agents.ts'
import type {
  CreateApiKeyAnswer,
  CreateApiKeyBody,
  ListApiKeysPage,
  ListApiKeysQuery,
  RevokeApiKeyBody,
  RotateApiKeyAnswer,
  ShowApiKeyAnswer,
} from './api-keys.ts'
import type {
  AuditRecord,
  CheckSealsAnswer,
  CheckSealsQuery,
  ListAuditPage,
  ListAuditQuery,
  ListRefusalsPage,
  ListRefusalsQuery,
  ListRefusalsRecord,
} from './audit.ts'
import type {
  CreateCredentialAnswer,
  CreateCredentialBody,
  ListCredentialsPage,
  ListCredentialsQuery,
  RevokeCredentialBody,
  RotateCredentialAnswer,
  RotateCredentialBody,
  ShowCredentialAnswer,
} from './credentials.ts'
import type { EndsCounted } from './dry-run.ts'
import type { ExportAuditQuery, ExportHistoryQuery } from './exports.ts'
import type { ImportClientsAnswer, ImportClientsBody } from './imports.ts'
import type {
  BlockSubjectBody,
  ChangeIssuerBody,
  CreateIssuerBody,
  EnableIssuerAnswer,
  ListIssuersPage,
  ListSubjectsPage,
  ListSubjectsQuery,
  ListSubjectsRecord,
  ShowIssuerAnswer,
  UnblockSubjectAnswer,
  UnblockSubjectBody,
} from './issuers.ts'
import type {
  ImportSigningKeyAnswer,
  ImportSigningKeyBody,
  ListSigningKeysPage,
  RetireSigningKeyBody,
  ShowSigningKeyAnswer,
} from './keys.ts'
import type { RevokeLeakedSecretsAnswer, RevokeLeakedSecretsBody, RevokeLeakedSecretsQuery } from './leaked-secrets.ts'
import type {
  ApplyRecordAnswer,
  ApplyRecordBody,
  ListManagedPage,
  ListManagedQuery,
  ListManagedRecord,
  PlanRecordsAnswer,
  PlanRecordsBody,
} from './managed.ts'
import type { CreateRevocationBody, ShowRevocationAnswer } from './revocations.ts'
import type { ListSessionsPage, ListSessionsRecord } from './sessions.ts'
import type { ListSettingsAnswer } from './settings.ts'
import type { ListExpiringAnswer, ShowStatusAnswer } from './status.ts'
import type {
  Count,
  CountHistoryAnswer,
  CountHistoryQuery,
  CountTokensQuery,
  EndedTokenRecord,
  ExplainTokenAnswer,
  ExplainTokenTextBody,
  ListHistoryPage,
  ListHistoryQuery,
  ListLineagePage,
  ListLineageQuery,
  ListTokensPage,
  ListTokensQuery,
  RevokeTokenByIdAnswer,
  RevokeTokenByIdBody,
  ShowTokenAnswer,
  TokenRecord,
} from './tokens.ts'
import type {
  ListAgentUsageAnswer,
  ListAgentUsageQuery,
  ListRefusedRequestsAnswer,
  ListRefusedRequestsQuery,
  ListUsesAfterEndPage,
  ListUsesAfterEndQuery,
  ListUsesAfterEndRecord,
  ListUsesPage,
  ListUsesQuery,
  ListUsesRecord,
  ShowUsageSeriesAnswer,
  ShowUsageSeriesQuery,
} from './usage.ts'
import type { ListVerifiersPage, ListVerifiersRecord } from './verifiers.ts'

/** The administration of a service: a method for each operation of the API, by its id. */
export type Administration = {
  /** Change an agent: `PATCH /api/v1/agents/{id}`. */
  readonly changeAgent: Tryable<
    'body',
    { readonly path: { readonly id: string }; readonly body?: ChangeAgentBody } & CallOptions,
    AgentRecord,
    EndsCounted
  >
  /** Create an agent: `POST /api/v1/agents`. */
  readonly createAgent: (request: { readonly body: CreateAgentBody } & CreationOptions) => Promise<CreateAgentAnswer>
  /** Delete an agent: `DELETE /api/v1/agents/{id}`. */
  readonly deleteAgent: Tryable<
    'query',
    { readonly path: { readonly id: string }; readonly query?: DeleteAgentQuery } & CallOptions,
    void,
    EndsCounted
  >
  /** Disable an agent: `POST /api/v1/agents/{id}/disable`. */
  readonly disableAgent: Tryable<
    'body',
    { readonly path: { readonly id: string }; readonly body?: DisableAgentBody } & CallOptions,
    EnableAgentAnswer,
    EndsCounted
  >
  /** Enable an agent: `POST /api/v1/agents/{id}/enable`. */
  readonly enableAgent: (
    request: { readonly path: { readonly id: string }; readonly body?: EnableAgentBody } & CallOptions,
  ) => Promise<EnableAgentAnswer>
  /** List agents: `GET /api/v1/agents`. */
  readonly listAgents: (
    request?: { readonly query?: ListAgentsQuery | undefined } & CallOptions,
  ) => List<AgentRecord, ListAgentsPage>
  /** Show an agent: `GET /api/v1/agents/{id}`. */
  readonly showAgent: (request: { readonly path: { readonly id: string } } & CallOptions) => Promise<AgentRecord>
  /** Show who may act for an agent, and for whom it may act: `GET /api/v1/agents/{id}/delegation`. */
  readonly showDelegation: (
    request: { readonly path: { readonly id: string } } & CallOptions,
  ) => Promise<ShowDelegationAnswer>
  /** Give an agent another secret, or something to trust in place of one: `POST /api/v1/agents/{agent_id}/credentials`. */
  readonly createCredential: (
    request: { readonly path: { readonly agent_id: string }; readonly body: CreateCredentialBody } & CreationOptions,
  ) => Promise<CreateCredentialAnswer>
  /** List the credentials of an agent: `GET /api/v1/agents/{agent_id}/credentials`. */
  readonly listCredentials: (
    request: {
      readonly path: { readonly agent_id: string }
      readonly query?: ListCredentialsQuery | undefined
    } & CallOptions,
  ) => List<ShowCredentialAnswer, ListCredentialsPage>
  /** Revoke a credential and end its tokens: `POST /api/v1/agents/{agent_id}/credentials/{credential_id}/revoke`. */
  readonly revokeCredential: Tryable<
    'body',
    {
      readonly path: { readonly agent_id: string; readonly credential_id: string }
      readonly body?: RevokeCredentialBody
    } & CallOptions,
    ShowCredentialAnswer,
    EndsCounted
  >
  /** Revoke secrets found in the open: `POST /api/v1/leaked-secrets`. */
  readonly revokeLeakedSecrets: (
    request?: { readonly query?: RevokeLeakedSecretsQuery; readonly body?: RevokeLeakedSecretsBody } & CallOptions,
  ) => Promise<RevokeLeakedSecretsAnswer>
  /** Replace a credential, with a grace for the old one: `POST /api/v1/agents/{agent_id}/credentials/{credential_id}/rotate`. */
  readonly rotateCredential: (
    request: {
      readonly path: { readonly agent_id: string; readonly credential_id: string }
      readonly body: RotateCredentialBody
    } & CreationOptions,
  ) => Promise<RotateCredentialAnswer>
  /** Show a credential: `GET /api/v1/agents/{agent_id}/credentials/{credential_id}`. */
  readonly showCredential: (
    request: { readonly path: { readonly agent_id: string; readonly credential_id: string } } & CallOptions,
  ) => Promise<ShowCredentialAnswer>
  /** Make an API key: `POST /api/v1/api-keys`. */
  readonly createApiKey: (request: { readonly body: CreateApiKeyBody } & CreationOptions) => Promise<CreateApiKeyAnswer>
  /** List API keys: `GET /api/v1/api-keys`. */
  readonly listApiKeys: (
    request?: { readonly query?: ListApiKeysQuery | undefined } & CallOptions,
  ) => List<ShowApiKeyAnswer, ListApiKeysPage>
  /** Revoke an API key: `POST /api/v1/api-keys/{api_key_id}/revoke`. */
  readonly revokeApiKey: (
    request: { readonly path: { readonly api_key_id: string }; readonly body?: RevokeApiKeyBody } & CallOptions,
  ) => Promise<ShowApiKeyAnswer>
  /** Replace an API key, with a grace for the old one: `POST /api/v1/api-keys/{api_key_id}/rotate`. */
  readonly rotateApiKey: (
    request: { readonly path: { readonly api_key_id: string }; readonly body: RotateCredentialBody } & CreationOptions,
  ) => Promise<RotateApiKeyAnswer>
  /** Show an API key: `GET /api/v1/api-keys/{api_key_id}`. */
  readonly showApiKey: (
    request: { readonly path: { readonly api_key_id: string } } & CallOptions,
  ) => Promise<ShowApiKeyAnswer>
  /** Count ended tokens, exactly below 1000: `GET /api/v1/tokens/history/count`. */
  readonly countHistory: (
    request?: { readonly query?: CountHistoryQuery | undefined } & CallOptions,
  ) => Promise<CountHistoryAnswer>
  /** Count live tokens, exactly below 1000: `GET /api/v1/tokens/count`. */
  readonly countTokens: (request?: { readonly query?: CountTokensQuery | undefined } & CallOptions) => Promise<Count>
  /** List ended tokens: `GET /api/v1/tokens/history`. */
  readonly listHistory: (
    request?: { readonly query?: ListHistoryQuery | undefined } & CallOptions,
  ) => List<EndedTokenRecord, ListHistoryPage>
  /** Show the tree of a token: its root first, parents before their children: `GET /api/v1/tokens/{id}/lineage`. */
  readonly listLineage: (
    request: { readonly path: { readonly id: string }; readonly query?: ListLineageQuery | undefined } & CallOptions,
  ) => List<
    | ShowTokenAnswer
    | {
        readonly id: string
        /** Retention removed it; its descendants still name it. */
        readonly removed: true
      },
    ListLineagePage
  >
  /** List live tokens: `GET /api/v1/tokens`. */
  readonly listTokens: (
    request?: { readonly query?: ListTokensQuery | undefined } & CallOptions,
  ) => List<TokenRecord, ListTokensPage>
  /** Revoke a token by its id: `POST /api/v1/tokens/{id}/revoke`. */
  readonly revokeTokenById: (
    request: { readonly path: { readonly id: string }; readonly body?: RevokeTokenByIdBody } & CallOptions,
  ) => Promise<RevokeTokenByIdAnswer>
  /** Show the whole life of a token: `GET /api/v1/tokens/{id}`. */
  readonly showToken: (request: { readonly path: { readonly id: string } } & CallOptions) => Promise<ShowTokenAnswer>
  /** Explain why a token is active or not: `GET /api/v1/tokens/{id}/explain`. */
  readonly explainToken: (
    request: { readonly path: { readonly id: string } } & CallOptions,
  ) => Promise<ExplainTokenAnswer>
  /** Explain why the text of a token is active or not: `POST /api/v1/tokens/explain`. */
  readonly explainTokenText: (
    request: { readonly body: ExplainTokenTextBody } & CallOptions,
  ) => Promise<ExplainTokenAnswer>
  /** List the agents that use the service most: `GET /api/v1/usage/agents`. */
  readonly listAgentUsage: (
    request?: { readonly query?: ListAgentUsageQuery | undefined } & CallOptions,
  ) => Promise<ListAgentUsageAnswer>
  /** List what was refused of late by agent and reason, and the limits that were reached: `GET /api/v1/usage/refusals`. */
  readonly listRefusedRequests: (
    request?: { readonly query?: ListRefusedRequestsQuery | undefined } & CallOptions,
  ) => Promise<ListRefusedRequestsAnswer>
  /** List where tokens were used, by agent, API key and minute, for 30 days: `GET /api/v1/usage`. */
  readonly listUses: (
    request?: { readonly query?: ListUsesQuery | undefined } & CallOptions,
  ) => List<ListUsesRecord, ListUsesPage>
  /** List tokens that were introspected after they had ended, last used first: `GET /api/v1/usage/after-end`. */
  readonly listUsesAfterEnd: (
    request?: { readonly query?: ListUsesAfterEndQuery | undefined } & CallOptions,
  ) => List<ListUsesAfterEndRecord, ListUsesAfterEndPage>
  /** Show what was issued, refused, introspected and ended over time: `GET /api/v1/usage/series`. */
  readonly showUsageSeries: (
    request?: { readonly query?: ShowUsageSeriesQuery | undefined } & CallOptions,
  ) => Promise<ShowUsageSeriesAnswer>
  /** List the credentials and API keys that expire soon: `GET /api/v1/status/expiring`. */
  readonly listExpiring: (request?: CallOptions) => Promise<ListExpiringAnswer>
  /** Show the state of the service: `GET /api/v1/status`. */
  readonly showStatus: (request?: CallOptions) => Promise<ShowStatusAnswer>
  /** End many tokens at once: `POST /api/v1/revocations`. */
  readonly createRevocation: Tryable<
    'body',
    { readonly body?: CreateRevocationBody } & CreationOptions,
    ShowRevocationAnswer,
    {
      readonly dry_run: true
      /** Tokens that would end. */
      readonly tokens: number
      /** False: at least so many. Exact up to 10000. */
      readonly tokens_exact: boolean
      /** How many agents owner and labels match; null where they are not named. */
      readonly agents: number | null
      /** At most 10 of them. */
      readonly sample: readonly TokenRecord[]
      /** The same request with it, and without `dry_run`, ends these tokens and no others. */
      readonly plan_id: string
      /** Until then the plan is valid. */
      readonly plan_expires_at: string
    }
  >
  /** Show a revocation: `GET /api/v1/revocations/{id}`. */
  readonly showRevocation: (
    request: { readonly path: { readonly id: string } } & CallOptions,
  ) => Promise<ShowRevocationAnswer>
  /** List the verifiers that follow the revocation feed: `GET /api/v1/verifiers`. */
  readonly listVerifiers: (
    request?: { readonly query?: ListLineageQuery | undefined } & CallOptions,
  ) => List<ListVerifiersRecord, ListVerifiersPage>
  /** End a session of an operator in the console: `DELETE /api/v1/sessions/{id}`. */
  readonly endSession: (request: { readonly path: { readonly id: string } } & CallOptions) => Promise<void>
  /** List the sessions of operators in the console: `GET /api/v1/sessions`. */
  readonly listSessions: (
    request?: { readonly query?: ListLineageQuery | undefined } & CallOptions,
  ) => List<ListSessionsRecord, ListSessionsPage>
  /** List the settings of the service: `GET /api/v1/settings`. */
  readonly listSettings: (request?: CallOptions) => Promise<ListSettingsAnswer>
  /** Take over the clients of another server: `POST /api/v1/imports`. */
  readonly importClients: (request: { readonly body: ImportClientsBody } & CallOptions) => Promise<ImportClientsAnswer>
  /** End a signing key and every token that it signed: `POST /api/v1/keys/{kid}/compromise`. */
  readonly compromiseSigningKey: Tryable<
    'body',
    { readonly path: { readonly kid: string }; readonly body?: DisableAgentBody } & CallOptions,
    ImportSigningKeyAnswer,
    EndsCounted
  >
  /** Take a private key from outside: `POST /api/v1/keys/import`. */
  readonly importSigningKey: (
    request: { readonly body: ImportSigningKeyBody } & CreationOptions,
  ) => Promise<ImportSigningKeyAnswer>
  /** List signing keys: `GET /api/v1/keys`. */
  readonly listSigningKeys: (
    request?: { readonly query?: ListLineageQuery | undefined } & CallOptions,
  ) => List<ShowSigningKeyAnswer, ListSigningKeysPage>
  /** Take a signing key out of signing: `POST /api/v1/keys/{kid}/retire`. */
  readonly retireSigningKey: (
    request: { readonly path: { readonly kid: string }; readonly body?: RetireSigningKeyBody } & CallOptions,
  ) => Promise<ImportSigningKeyAnswer>
  /** Let the next signing key sign: `POST /api/v1/keys/rotate`. */
  readonly rotateSigningKey: (
    request?: { readonly body?: RetireSigningKeyBody } & CallOptions,
  ) => Promise<ImportSigningKeyAnswer>
  /** Show a signing key: `GET /api/v1/keys/{kid}`. */
  readonly showSigningKey: (
    request: { readonly path: { readonly kid: string } } & CallOptions,
  ) => Promise<ShowSigningKeyAnswer>
  /** Check a part of the audit log against its seals: `GET /api/v1/audit/seals`. */
  readonly checkSeals: (
    request?: { readonly query?: CheckSealsQuery | undefined } & CallOptions,
  ) => Promise<CheckSealsAnswer>
  /** Read the audit log: `GET /api/v1/audit`. */
  readonly listAudit: (
    request?: { readonly query?: ListAuditQuery | undefined } & CallOptions,
  ) => List<AuditRecord, ListAuditPage>
  /** Count refused authentications and token requests: `GET /api/v1/audit/refusals`. */
  readonly listRefusals: (
    request?: { readonly query?: ListRefusalsQuery | undefined } & CallOptions,
  ) => List<ListRefusalsRecord, ListRefusalsPage>
  /** Export the audit log: `GET /api/v1/exports/audit`. */
  readonly exportAudit: (
    request?: { readonly query?: ExportAuditQuery | undefined } & CallOptions,
  ) => AsyncIterable<AuditRecord>
  /** Export ended tokens: `GET /api/v1/exports/history`. */
  readonly exportHistory: (
    request?: { readonly query?: ExportHistoryQuery | undefined } & CallOptions,
  ) => AsyncIterable<EndedTokenRecord>
  /** Export live tokens: `GET /api/v1/exports/tokens`. */
  readonly exportTokens: (
    request?: { readonly query?: CountTokensQuery | undefined } & CallOptions,
  ) => AsyncIterable<TokenRecord>
  /** Block a subject of a trusted issuer, and end its tokens: `POST /api/v1/issuers/{alias}/subjects/block`. */
  readonly blockSubject: Tryable<
    'body',
    { readonly path: { readonly alias: string }; readonly body: BlockSubjectBody } & CallOptions,
    UnblockSubjectAnswer,
    EndsCounted
  >
  /** Change a trusted issuer, for the next token: `PATCH /api/v1/issuers/{alias}`. */
  readonly changeIssuer: (
    request: { readonly path: { readonly alias: string }; readonly body?: ChangeIssuerBody } & CallOptions,
  ) => Promise<ShowIssuerAnswer>
  /** Trust an issuer: `POST /api/v1/issuers`. */
  readonly createIssuer: (request: { readonly body: CreateIssuerBody } & CreationOptions) => Promise<ShowIssuerAnswer>
  /** Delete a trusted issuer: `DELETE /api/v1/issuers/{alias}`. */
  readonly deleteIssuer: Tryable<
    'query',
    { readonly path: { readonly alias: string }; readonly query?: DeleteAgentQuery } & CallOptions,
    void,
    EndsCounted
  >
  /** Disable a trusted issuer: `POST /api/v1/issuers/{alias}/disable`. */
  readonly disableIssuer: Tryable<
    'body',
    { readonly path: { readonly alias: string }; readonly body?: DisableAgentBody } & CallOptions,
    EnableIssuerAnswer,
    EndsCounted
  >
  /** Enable a trusted issuer: `POST /api/v1/issuers/{alias}/enable`. */
  readonly enableIssuer: (
    request: { readonly path: { readonly alias: string }; readonly body?: EnableAgentBody } & CallOptions,
  ) => Promise<EnableIssuerAnswer>
  /** List trusted issuers: `GET /api/v1/issuers`. */
  readonly listIssuers: (
    request?: { readonly query?: ListLineageQuery | undefined } & CallOptions,
  ) => List<ShowIssuerAnswer, ListIssuersPage>
  /** List the blocked subjects of a trusted issuer: `GET /api/v1/issuers/{alias}/subjects`. */
  readonly listSubjects: (
    request: {
      readonly path: { readonly alias: string }
      readonly query?: ListSubjectsQuery | undefined
    } & CallOptions,
  ) => List<ListSubjectsRecord, ListSubjectsPage>
  /** Show a trusted issuer: `GET /api/v1/issuers/{alias}`. */
  readonly showIssuer: (
    request: { readonly path: { readonly alias: string } } & CallOptions,
  ) => Promise<ShowIssuerAnswer>
  /** Unblock a subject of a trusted issuer: `POST /api/v1/issuers/{alias}/subjects/unblock`. */
  readonly unblockSubject: (
    request: { readonly path: { readonly alias: string }; readonly body: UnblockSubjectBody } & CallOptions,
  ) => Promise<UnblockSubjectAnswer>
  /** Do what was planned for a declared record: `POST /api/v1/managed/apply`. */
  readonly applyRecord: (request: { readonly body: ApplyRecordBody } & CallOptions) => Promise<ApplyRecordAnswer>
  /** List what a set of files manages: `GET /api/v1/managed`. */
  readonly listManaged: (
    request?: { readonly query?: ListManagedQuery | undefined } & CallOptions,
  ) => List<ListManagedRecord, ListManagedPage>
  /** Plan what becomes of declared records: `POST /api/v1/managed/plan`. */
  readonly planRecords: (request: { readonly body: PlanRecordsBody } & CallOptions) => Promise<PlanRecordsAnswer>
}
