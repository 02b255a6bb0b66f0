// In this folder: the public interface of the verifier, and the decision on one token. Folders below hold what it decides by.
// What a program asks of a verifier, checked with each request: a misspelled member must not ask for less.
import type { Certificate } from './proofs/certificate.ts'
import type { Presented } from './proofs/dpop.ts'
import type { CalledAddress } from './readers/proof-claims.ts'
import { type Refusal, refusal } from './refusals.ts'
import type { Asked, RequestToAuthorize } from './verifier.ts'
import {
  copyItems,
  definite,
  isShortList,
  isText,
  type Kind,
  type Kinds,
  namedFault,
  onlyOne,
  takeMembers,
} from './wire/option-members.ts'

export const EXPECTED_SCOPES = "an array of scope items, such as ['db:read']"
export const EXPECTED_CERTIFICATE = 'DER in a Uint8Array, or PEM in a string'

/** An item that no token can carry is refused with 403, so its characters need no check. A hole is no string. */
const isScopes = definite(value => {
  if (!isShortList(value)) return EXPECTED_SCOPES
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
  dpop: definite(value => typeof value === 'object' || 'an object of method, url and proof'),
  certificate: isCertificateKind,
})

/** Whether a copy by spread has all its members: it has none that is inherited, or not enumerable. */
const isPlain = (given: unknown): given is object =>
  typeof given === 'object' &&
  given !== null &&
  Object.getPrototypeOf(given) === Object.prototype &&
  Object.keys(given).length === Object.getOwnPropertyNames(given).length

/** Whether all its members are known, and of their kinds. */
const isRight = (copy: Readonly<Record<string, unknown>>, kinds: Kinds): boolean => {
  for (const name in copy) {
    const value = copy[name]
    const fits = kinds[name]
    if (fits === undefined || (value === undefined ? fits.isDefinite === true : fits(value) !== true)) return false
  }
  return true
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

/** What takeMembers returns, for a plain object without a mistake in a third of the time: it is for each request. */
const takeAll = <Options extends object>(where: string, given: unknown, kinds: Kinds): Readonly<Options> => {
  // Each member is read once: what is wrong with a copy is named by the copy.
  let members = given
  try {
    if (isPlain(given)) {
      const copy: Record<string, unknown> = { ...given }
      const { scopes } = copy
      if (isShortList(scopes)) copy['scopes'] = copyItems(scopes)
      // A proxy may have members that it does not list.
      const isWhole = scopes !== undefined || (given as Asked).scopes === undefined
      // Each member has been checked by its kind.
      if (isWhole && isRight(copy, kinds)) return copy as Options
      if (isWhole) members = copy
    }
  } catch (fault) {
    throw namedFault(where, fault)
  }
  return takeMembers<Options>(where, members, kinds)
}

/** No proof can be compared with a request whose method or URL is absent. */
const withAddress = <Options extends CalledAddress>(where: string, taken: Options): Options => {
  for (const name of ['method', 'url'] as const)
    if ((taken[name] as unknown) === undefined)
      throw new TypeError(`${where}: ${name} is undefined. Expected a string.`)
  return taken
}

export const takeAsked = (asked: readonly unknown[]): Taken<Asked> =>
  takeOrRefuse(() => {
    const taken = takeAll<Asked>('verify', onlyOne('verify', asked), ASKED)
    return taken.dpop === undefined
      ? taken
      : { ...taken, dpop: withAddress('verify: dpop', takeMembers<Presented>('verify: dpop', taken.dpop, PRESENTED)) }
  })

export const takeRequest = (request: readonly unknown[]): Taken<RequestToAuthorize> =>
  takeOrRefuse(() =>
    withAddress('authorize', takeAll<RequestToAuthorize>('authorize', onlyOne('authorize', request), REQUEST)),
  )
