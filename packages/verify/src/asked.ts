// What a program asks of a verifier, looked at with each request: a misspelled member must not ask for less.
import type { Certificate } from './proofs/certificate.ts'
import type { Presented } from './proofs/dpop.ts'
import { isScopeList } from './readers/scope.ts'
import { type Refusal, refusal } from './refusals.ts'
import type { Asked, RequestToAuthorize } from './verifier.ts'
import { checkMembers, isText, type Kind, type Kinds } from './wire/option-members.ts'

const isScopes: Kind = value => isScopeList(value) || "an array of scope items, such as ['db:read']"

/** Whether it has the form of one. Bytes may come from another realm, as in tests that run in one of their own. */
export const isCertificate = (value: unknown): value is Certificate =>
  typeof value === 'string' || ArrayBuffer.isView(value)

const isCertificateKind: Kind = value => isCertificate(value) || 'DER in a Uint8Array, or PEM in a string'

const PRESENTED = { method: isText, url: isText, proof: isText } as const satisfies Record<keyof Presented, Kind>

const REQUEST: Record<keyof RequestToAuthorize, Kind> = {
  ...PRESENTED,
  authorization: isText,
  scopes: isScopes,
  certificate: isCertificateKind,
}

/** Whether all members are there and of their kinds; the text of what is wrong is for {@link checkMembers} to make. */
const fits = (given: unknown, kinds: Kinds): boolean => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && (!Object.hasOwn(kinds, name) || kinds[name]?.(value) !== true)) return false
  }
  return true
}

const ASKED: Record<keyof Asked, Kind> = {
  scopes: isScopes,
  dpop: value => fits(value, PRESENTED) || 'an object of method, url and proof',
  certificate: isCertificateKind,
}

const misuseIn = (where: string, given: unknown, kinds: Kinds): Refusal | undefined => {
  if (fits(given, kinds)) return undefined
  try {
    checkMembers(where, given, kinds)
  } catch (fault) {
    return refusal('misuse', fault instanceof Error ? fault.message : where)
  }
  return undefined
}

/** Why nothing can be decided; undefined where all is as it should be. */
export const misuseOfVerify = (asked: unknown): Refusal | undefined => misuseIn('verify', asked, ASKED)

export const misuseOfAuthorize = (request: unknown): Refusal | undefined => misuseIn('authorize', request, REQUEST)
