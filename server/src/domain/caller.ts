// In this folder: rules that several subjects share: callers, refusals, fair queues, restores. All of domain/ is pure.
// Authenticated callers, and the rights of each kind.
import { type Access, type Permission, type Role, ROLES } from '../../../api/values/access.ts'
import type { Act, Actor } from './audit/act.ts'
import type { ActKind } from '../../../api/values/audit.ts'

export type ClientCaller = { readonly kind: 'client'; readonly agentId: string; readonly clientId: string }

export type ApiKeyCaller = {
  readonly kind: 'api_key'
  readonly id: string
  readonly permissions: readonly Permission[]
  /** The key sees only tokens for one of these audiences; null: all. */
  readonly audiences: readonly string[] | null
}

export type OperatorCaller = {
  readonly kind: 'operator'
  readonly iss: string
  readonly sub: string
  /** The highest role in the JWT; null if it has none. */
  readonly role: Role | null
}

export type CliCaller = { readonly kind: 'cli'; readonly user: string }

/** A trusted issuer, by a JWT that its keys signed. */
export type IssuerCaller = { readonly kind: 'issuer'; readonly alias: string }

type Caller = ClientCaller | ApiKeyCaller | OperatorCaller | IssuerCaller | CliCaller

/** Callers of the administration: an API key, an operator, or the owner of the store on the command line. */
export type Administrator = ApiKeyCaller | OperatorCaller | CliCaller

/** The origin of an act: its caller, request and address. */
export type Origin<C extends Caller = Administrator> = { readonly caller: C } & Pick<
  Act,
  'requestId' | 'source' | 'idempotencyKey'
>

export const hasRole = (caller: OperatorCaller, least: Role): boolean =>
  caller.role !== null && ROLES.indexOf(caller.role) >= ROLES.indexOf(least)

/** Whether the caller has the right: the user at the terminal has every one. */
export const may = (caller: Administrator, { permission, role }: Access): boolean => {
  if (caller.kind === 'api_key') return caller.permissions.includes(permission)
  return caller.kind === 'cli' || hasRole(caller, role)
}

/** The caller sees only tokens for one of these audiences; null: all. */
export const audiencesOf = (caller: Administrator): readonly string[] | null =>
  caller.kind === 'api_key' ? caller.audiences : null

/** The caller as shown in history and the audit log. */
const actorOf = (caller: Caller): Actor => {
  switch (caller.kind) {
    case 'client':
      return { type: 'client', id: caller.clientId }
    case 'api_key':
      return { type: 'api_key', id: caller.id }
    case 'issuer':
      return { type: 'issuer', id: caller.alias }
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

// JWTs of other issuers that are bound to a key by `cnf` (RFC 7800): who holds the text alone may not use it.

/** Why the JWT is not taken; undefined where it is bound to no key. No binding is proved here, whatever `cnf` holds (RFC 9449 §7.2, RFC 8705 §3). */
export const bindingFault = (claims: Readonly<Record<string, unknown>>): string | undefined =>
  Object.hasOwn(claims, 'cnf') ? 'it is bound to a key (cnf): send one that is bound to none' : undefined
