// The role that an identity provider's JWT gives an operator.
import { ROLES, type Role } from '../../../../api/values/access.ts'
import { trimCharacters } from '../../domain/text/text.ts'
import { isJsonObject, type JsonObject } from '../../../../packages/verify/src/readers/json.ts'

export type RoleMapping = {
  /** A claim's name, or a path of names joined by dots. */
  readonly roleClaim: string
  /** The provider's value for a role, to ours. */
  readonly roles: Readonly<Record<string, Role>>
  /** What a claim that is a string is split at. */
  readonly roleSeparator: keyof typeof SPLIT
}

// At these characters only: other white space is part of a value, as RFC 6749 §3.3 has it for `scope`.
const SPLIT = {
  none: (claim: string) => [claim],
  space: (claim: string) => claim.split(' '),
  comma: (claim: string) => claim.split(',').map(value => trimCharacters(value, ' ')),
} as const

const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The exact name goes first: some providers' claims are named by an address, which holds dots. */
const claimAt = (payload: JsonObject, path: string): unknown =>
  Object.hasOwn(payload, path) ? payload[path] : path.split('.').reduce<unknown>(member, payload)

/**
 * A string is one value unless the provider is known to write lists so: a role that users name themselves, `x mintmark-admin`,
 * would else make an administrator. Members of an array are never split.
 */
const valuesOf = (claim: unknown, separator: RoleMapping['roleSeparator']): readonly unknown[] => {
  if (typeof claim === 'string') return SPLIT[separator](claim)
  return Array.isArray(claim) ? claim : []
}

/** The highest role in the claim; null where it holds none. */
export const operatorRole = (payload: JsonObject, mapping: RoleMapping): Role | null => {
  const { roleClaim, roles, roleSeparator } = mapping
  const values = valuesOf(claimAt(payload, roleClaim), roleSeparator).filter(value => typeof value === 'string')
  const given = new Set(values.map(value => (Object.hasOwn(roles, value) ? roles[value] : undefined)))
  return ROLES.findLast(role => given.has(role)) ?? null
}
