// What a program asks of a verifier, checked with each request: a misspelled member must not ask for less.
import type { Certificate } from './proofs/certificate.ts'
import type { Presented } from './proofs/dpop.ts'
import { type Refusal, refusal } from './refusals.ts'
import type { Asked, RequestToAuthorize } from './verifier.ts'
import { copyItems, definite, isText, type Kind, type Kinds, namedFault, takeMembers } from './wire/option-members.ts'

export const EXPECTED_SCOPES = "an array of scope items, such as ['db:read']"
export const EXPECTED_CERTIFICATE = 'DER in a Uint8Array, or PEM in a string'

/** An item that no token can carry is refused with 403, so its characters need no check. A hole is no string. */
const isScopes = definite(value => {
  if (!Array.isArray(value)) return EXPECTED_SCOPES
  for (const item of value) if (typeof item !== 'string') return EXPECTED_SCOPES
  return true
})

/** Whether it has the form of one. Bytes may come from another realm, as in tests that run in one of their own. */
export const isCertificate = (value: unknown): value is Certificate =>
  typeof value === 'string' || ArrayBuffer.isView(value)

const isCertificateKind: Kind = value => isCertificate(value) || EXPECTED_CERTIFICATE

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

const ASKED = table<keyof Asked>({
  scopes: isScopes,
  /** Its members are checked for themselves. */
  dpop: value => typeof value === 'object' || 'an object of method, url and proof',
  certificate: isCertificateKind,
})

/**
 * What takeMembers would return, for a plain object without a mistake: a third of the time, with each request. Undefined for
 * everything else, which takeMembers reads again, and names.
 */
const takePlain = (given: unknown, kinds: Kinds): object | undefined => {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return undefined
  const taken: Record<string, unknown> = { ...given }
  const { scopes } = taken
  if (Array.isArray(scopes)) taken['scopes'] = copyItems(scopes)
  else if ('scopes' in given) return undefined
  let copied = 0
  for (const name in taken) {
    const value = taken[name]
    const fits = kinds[name]
    if (fits === undefined || (value !== undefined && fits(value) !== true)) return undefined
    copied += 1
  }
  // A member that is not enumerable has not been copied.
  return Object.getOwnPropertyNames(given).length === copied ? taken : undefined
}

/** What was asked, or why nothing can be decided. */
type Taken<Options> = Readonly<Options> | Refusal

const takeOrRefuse = <Options extends object>(take: () => Readonly<Options>): Taken<Options> => {
  try {
    return take()
  } catch (fault) {
    return refusal('misuse', fault instanceof Error ? fault.message : '')
  }
}

const takeAll = <Options extends object>(where: string, given: unknown, kinds: Kinds): Readonly<Options> => {
  let taken: object | undefined
  try {
    taken = takePlain(given, kinds)
  } catch (fault) {
    throw namedFault(where, fault)
  }
  // Each member has been checked by its kind.
  return (taken as Options | undefined) ?? takeMembers<Options>(where, given, kinds)
}

export const takeAsked = (asked: unknown): Taken<Asked> =>
  takeOrRefuse(() => {
    const taken = takeAll<Asked>('verify', asked, ASKED)
    return taken.dpop === undefined
      ? taken
      : { ...taken, dpop: takeMembers<Presented>('verify: dpop', taken.dpop, PRESENTED) }
  })

export const takeRequest = (request: unknown): Taken<RequestToAuthorize> =>
  takeOrRefuse(() => takeAll<RequestToAuthorize>('authorize', request, REQUEST))
