// Agents, their client ids and credentials, and what a token request of an agent may have. New client ids are UUIDs; imported
// ones stay as they were.
import type { ClientTrust } from './client-trust.ts'
import type { Sha256 } from '../text/text.ts'
import type { GrantType } from '../../../../api/values/delegation.ts'
import type { Labels } from '../../../../api/values/labels.ts'
import type { AgentLimits } from '../../../../api/values/limits.ts'
import type { OwnClaims } from '../../../../api/values/own-claims.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { hasExpired } from '../ledger/expiry.ts'

/** Distinct lifetimes in the ledger at once: every list merges one stream for each. */
export const LIFETIMES_MAX = 16

export type Agent = AgentLimits & {
  /** A UUID, never reused: the `sub` of its tokens. */
  readonly id: string
  readonly clientId: string
  /** Unique among the agents that are not deleted. */
  readonly name: string
  readonly description: string | null
  /** Who is responsible for it: a person or a team. */
  readonly owner: string | null
  readonly labels: Labels
  readonly disabledAt: Milliseconds | null
  /** The time of the restore that suspended it: it obtains no token until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
  /** Items, or `resource:*`, that the agent may request. */
  readonly scopes: readonly string[]
  /** Granted if a request names no scope; null: such a request is refused. */
  readonly defaultScope: readonly string[] | null
  /** Resources that the agent may request; `*` for any. */
  readonly resources: readonly string[]
  readonly defaultAudience: string | null
  /** Null where the lifetime of the service applies. */
  readonly lifetimeSeconds: number | null
  /** Whether it must send a DPoP proof to get a token (RFC 9449 §5.2). */
  readonly dpopBound: boolean
  /** Whether its tokens are bound to the certificate of its connection, which it then must present (RFC 8705 §3.4). */
  readonly certificateBound: boolean
  /** The grant types that it may use, never empty. */
  readonly grantTypes: readonly GrantType[]
  /** Whose tokens it may exchange: ids of agents, `label:key=value`, `*`; `issuer:ALIAS`, `issuer:ALIAS:SUB`. */
  readonly actsFor: readonly string[]
  /** The audiences whose tokens are sent to it: it may exchange these. */
  readonly receives: readonly string[]
  /** Its client ids at trusted issuers, by their aliases, which are sorted. */
  readonly issuerClients: Readonly<Record<string, string>>
  /** What its tokens say beside the claims of every token. */
  readonly claims: OwnClaims
  /** From then on it is refused, and no token of it lives; null: never. */
  readonly expiresAt: Milliseconds | null
  /** The set of files that declares it: `apply/NAME`; null: none. */
  readonly managedBy: string | null
  readonly createdAt: Milliseconds
}

/** A credential of an agent: the hash of a secret, or what is trusted instead. `number` is the store's. */
export type Credential = {
  readonly number: number
  readonly id: string
  /** Empty while only the other server's hash is known, and if there is no secret. */
  readonly secretHash: Sha256
  /** Whether another server made the secret: its hash is then keyed. */
  readonly isImported: boolean
  /** The other server's hash of an imported secret that was not used here yet. */
  readonly foreignHash: string | null
  /** Null for a credential with a secret. */
  readonly trust: ClientTrust | null
  /** The time from which it obtains no token; null: never. */
  readonly expiresAt: Milliseconds | null
}

/** Whether it gets no token at this time: somebody disabled it, or it has expired. */
export const isStopped = (
  { disabledAt, expiresAt }: Pick<Agent, 'disabledAt' | 'expiresAt'>,
  now: Milliseconds,
): boolean => disabledAt !== null || hasExpired(expiresAt, now)

/** `changed`: by this act, which otherwise found it so, and is recorded nowhere. */
export type Switched = Agent & { readonly changed: boolean }

/** An agent as the token endpoint needs it. `number` is the store's. */
export type Client = {
  readonly number: number
  readonly agent: Agent
  /** The unrevoked ones: all live ones, and perhaps some that have expired; at most CREDENTIALS_MAX. */
  readonly credentials: readonly Credential[]
}

/** RFC 6749 Appendix A.1, at most 255 characters, without surrounding spaces. */
const CLIENT_ID = /^[\x21-\x7E](?:[\x20-\x7E]{0,253}[\x21-\x7E])?$/

export const isClientId = (text: string): boolean => CLIENT_ID.test(text)
