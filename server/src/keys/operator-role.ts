// The role that an identity provider's JWT gives an operator.
import { ROLES, type Role } from '../domain/caller.ts'
import { isJsonObject, type JsonObject } from './compact-jws.ts'

type RoleMapping = {
  /** A claim's name, or a path of names joined by dots. */
  readonly roleClaim: string
  /** The provider's value for a role, to ours. */
  readonly roles: Readonly<Record<string, Role>>
}

const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The exact name goes first: some providers' claims are named by an address, which holds dots. */
const claimAt = (payload: JsonObject, path: string): unknown =>
  Object.hasOwn(payload, path) ? payload[path] : path.split('.').reduce<unknown>(member, payload)

/** A string is one value, and also each of its words: some providers write a list as they write `scope`. */
const valuesOf = (claim: unknown): readonly unknown[] => {
  if (typeof claim === 'string') return [claim, ...claim.split(' ')]
  return Array.isArray(claim) ? claim : []
}

/** The highest role in the claim; null where it holds none. */
export const operatorRole = (payload: JsonObject, { roleClaim, roles }: RoleMapping): Role | null => {
  const values = valuesOf(claimAt(payload, roleClaim)).filter(value => typeof value === 'string')
  const given = new Set(values.map(value => (Object.hasOwn(roles, value) ? roles[value] : undefined)))
  return ROLES.findLast(role => given.has(role)) ?? null
}
