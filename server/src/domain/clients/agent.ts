// Agents, their client ids and credentials, and what a token request of an agent may have. New client ids are UUIDs; imported
// ones stay as they were.
import type { ClientTrust } from './client-trust.ts'
import type { Sha256 } from '../text/text.ts'
import type { Labels } from '../../../../api/values/labels.ts'
import type { AgentLimits } from '../../../../api/values/limits.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** Distinct lifetimes that may live in the ledger at once: every list merges one stream for each. */
export const LIFETIMES_MAX = 16

export type Agent = AgentLimits & {
  /** A UUID, never used twice: the `sub` of its tokens. */
  readonly id: string
  readonly clientId: string
  /** No other agent that is not deleted has it. */
  readonly name: string
  readonly description: string | null
  /** Who answers for it: a person or a team. */
  readonly owner: string | null
  readonly labels: Labels
  readonly disabledAt: Milliseconds | null
  /** Since a restore: it gets no token until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
  /** Items, or `resource:*`, that the agent may ask for. */
  readonly scopes: readonly string[]
  /** Granted where a request names no scope; null: such a request is refused. */
  readonly defaultScope: readonly string[] | null
  /** Resources that the agent may ask for; `*` for any. */
  readonly resources: readonly string[]
  readonly defaultAudience: string | null
  /** Null: the service's. */
  readonly lifetimeSeconds: number | null
  /** Whether it gets no token without a DPoP proof (RFC 9449 §5.2). */
  readonly dpopBound: boolean
  /** Whether its tokens are bound to the certificate of its connection, without which it gets none (RFC 8705 §3.4). */
  readonly certificateBound: boolean
  readonly createdAt: Milliseconds
}

/** One of the secrets of an agent, as its hash, or what is trusted in its place. `number` is the store's. */
export type Credential = {
  readonly number: number
  readonly id: string
  /** Empty while only the hash of another server is known, and where there is no secret. */
  readonly secretHash: Sha256
  /** Whether the secret was made elsewhere: its hash is then keyed. */
  readonly isImported: boolean
  /** Of an imported secret that was not used here yet: the hash that the other server kept. */
  readonly foreignHash: string | null
  /** Null: a secret. */
  readonly trust: ClientTrust | null
  /** From then on it gets no token; null: never. */
  readonly expiresAt: Milliseconds | null
}

/** An agent as the token endpoint needs it. `number` is the store's. */
export type Client = {
  readonly number: number
  readonly agent: Agent
  /** Not revoked: all that live, and perhaps some that have expired; at most CREDENTIALS_MAX. */
  readonly credentials: readonly Credential[]
}

/** RFC 6749 Appendix A.1, with a bound, and no spaces around it. */
const CLIENT_ID = /^[\x21-\x7E](?:[\x20-\x7E]{0,253}[\x21-\x7E])?$/

export const isClientId = (text: string): boolean => CLIENT_ID.test(text)
