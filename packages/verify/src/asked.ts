// What a program asks of a verifier, looked at with each request: a misspelled member must not ask for less.
import type { Certificate } from './proofs/certificate.ts'
import type { Presented } from './proofs/dpop.ts'
import { type Refusal, refusal } from './refusals.ts'
import type { Asked, RequestToAuthorize } from './verifier.ts'
import { checkMembers, isText, type Kind, type Kinds } from './wire/option-members.ts'

const EXPECTED_SCOPES = "an array of scope items, such as ['db:read']"

/** An item that no token can carry is refused with 403, so its characters need no look. A hole in the array would be passed over. */
const isScopes: Kind = value => {
  if (!Array.isArray(value)) return EXPECTED_SCOPES
  for (const item of value) if (typeof item !== 'string') return EXPECTED_SCOPES
  return true
}

/** Whether it has the form of one. Bytes may come from another realm, as in tests that run in one of their own. */
export const isCertificate = (value: unknown): value is Certificate =>
  typeof value === 'string' || ArrayBuffer.isView(value)

const isCertificateKind: Kind = value => isCertificate(value) || 'DER in a Uint8Array, or PEM in a string'

/** Without a prototype, whose members no kind is. */
const table = <Name extends string>(kinds: Readonly<Record<Name, Kind>>): Kinds =>
  Object.assign(Object.create(null) as object, kinds)

const PRESENTED = { method: isText, url: isText, proof: isText } as const satisfies Record<keyof Presented, Kind>

const REQUEST = table<keyof RequestToAuthorize>({
  ...PRESENTED,
  authorization: isText,
  scopes: isScopes,
  certificate: isCertificateKind,
})

/**
 * Whether all members are known, and of their kinds; the text of what is wrong is for {@link checkMembers} to make. Of each request:
 * an array of its members would take longer than all the rest.
 */
const fits = (given: unknown, kinds: Kinds): boolean => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  for (const name in given) {
    const value: unknown = given[name as keyof typeof given]
    if (value !== undefined && kinds[name]?.(value) !== true) return false
  }
  return true
}

const PROOF = table<keyof Presented>(PRESENTED)

const ASKED = table<keyof Asked>({
  scopes: isScopes,
  dpop: value => fits(value, PROOF) || 'an object of method, url and proof',
  certificate: isCertificateKind,
})

const misuseIn = (where: string, given: unknown, kinds: Kinds): Refusal | undefined => {
  if (fits(given, kinds)) return undefined
  try {
    checkMembers(where, given, kinds)
  } catch (fault) {
    return refusal('misuse', fault instanceof Error ? fault.message : where)
  }
  return refusal('misuse', `${where}: the options inherit a member that is none.`)
}

/** Why nothing can be decided; undefined where all is as it should be. */
export const misuseOfVerify = (asked: unknown): Refusal | undefined => misuseIn('verify', asked, ASKED)

export const misuseOfAuthorize = (request: unknown): Refusal | undefined => misuseIn('authorize', request, REQUEST)
