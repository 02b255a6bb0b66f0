// Who calls, once recognised, and what each kind of caller may do.
import { type Permission, type Role, ROLES } from '../../../api/values/access.ts'
import type { Act, Actor } from './audit/act.ts'
import type { ActKind } from '../../../api/values/audit.ts'

export type ClientCaller = { readonly kind: 'client'; readonly agentId: string; readonly clientId: string }

export type ApiKeyCaller = {
  readonly kind: 'api_key'
  readonly id: string
  readonly permissions: readonly Permission[]
  /** Only tokens for one of these audiences exist for this key; null: all do. */
  readonly audiences: readonly string[] | null
}

export type OperatorCaller = {
  readonly kind: 'operator'
  readonly iss: string
  readonly sub: string
  /** The highest role that the JWT carries; null where it carries none. */
  readonly role: Role | null
}

export type CliCaller = { readonly kind: 'cli'; readonly user: string }

type Caller = ClientCaller | ApiKeyCaller | OperatorCaller | CliCaller

/** Who may administer: with an API key, as an operator, or at the terminal of the store's owner. */
export type Administrator = ApiKeyCaller | OperatorCaller | CliCaller

/** Where an act comes from: who asked for it, and by which request from which address. */
export type Origin<C extends Caller = Administrator> = { readonly caller: C } & Pick<
  Act,
  'requestId' | 'source' | 'idempotencyKey'
>

export const hasRole = (caller: OperatorCaller, least: Role): boolean =>
  caller.role !== null && ROLES.indexOf(caller.role) >= ROLES.indexOf(least)

/** Only tokens for one of these audiences exist for the caller; null: all do. */
export const audiencesOf = (caller: Administrator): readonly string[] | null =>
  caller.kind === 'api_key' ? caller.audiences : null

/** The caller as history and audit name it. */
const actorOf = (caller: Caller): Actor => {
  switch (caller.kind) {
    case 'client':
      return { type: 'client', id: caller.clientId }
    case 'api_key':
      return { type: 'api_key', id: caller.id }
    case 'operator':
      return { type: 'operator', iss: caller.iss, sub: caller.sub }
    case 'cli':
      return { type: 'cli', id: caller.user }
  }
}

export const actBy = (
  { caller, requestId, source, idempotencyKey }: Origin<Caller>,
  kind: ActKind,
  note: string | null = null,
): Act => ({
  kind,
  actor: actorOf(caller),
  note,
  requestId,
  source,
  ...(idempotencyKey !== undefined && { idempotencyKey }),
})
