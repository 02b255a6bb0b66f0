// What a route demands of a token, checked where it is written and, where a function answers for a request, at each request: a
// mistake in it is a fault, and never a route that any token passes.
import { EXPECTED_CERTIFICATE, EXPECTED_SCOPES, isCertificate } from '../asked.ts'
import type { Certificate } from '../proofs/certificate.ts'
import { isScopeList } from '../readers/scope.ts'
import type { Verifier } from '../verifier.ts'
import { inTime } from '../wire/deadline.ts'
import {
  copyItems,
  definite,
  isFlag,
  isShortList,
  onlyOne,
  isFunction,
  isText,
  isTextList,
  type Kind,
  type Kinds,
  takeMembers,
} from '../wire/option-members.ts'
import { WEB_RUNTIME } from '../wire/runtime.ts'

type Awaitable<Value> = Value | Promise<Value>

/** What a route demands of a token. */
export type Guard<Request> = {
  /** Scope items that the token must all carry, or a function that returns those for a request, within 5 s. Omitted, any token is enough. */
  readonly scopes?: readonly string[] | ((request: Request) => Awaitable<readonly string[]>)
  /** The certificate of the caller's TLS connection, where tokens are bound to certificates. Never from a header that a caller can send. */
  readonly certificate?: (request: Request) => Awaitable<Certificate | undefined>
  /** The path that a proxy in front removes, such as `/api`: DPoP proofs are of the path with it. */
  readonly prefix?: string
}

/** Members of the metadata beside those that follow from the verifier (RFC 9728 §2). */
export type MetadataMembers = {
  readonly scopes_supported?: readonly string[]
  readonly resource_name?: string
  readonly resource_documentation?: string
  readonly tls_client_certificate_bound_access_tokens?: boolean
}

/** Segments of RFC 3986 §3.3 other than `.` and `..`, none of them empty. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/

const isScopes = definite(
  value => typeof value === 'function' || isScopeList(value) || `${EXPECTED_SCOPES}, or a function that returns one`,
)

const isPrefix: Kind = value =>
  (typeof value === 'string' && PREFIX.test(value)) ||
  'a path such as /api: with a slash at its start and none at its end, and without query and dot segments'

const GUARD: Kinds = { scopes: isScopes, certificate: isFunction, prefix: isPrefix }

/** What a guard demands, and what others call it: anywhere else nothing would be demanded. */
export const GUARD_NAMES: readonly string[] = [...Object.keys(GUARD), 'requiredScopes']

const METADATA: Kinds = {
  scopes_supported: isTextList,
  resource_name: isText,
  resource_documentation: isText,
  tls_client_certificate_bound_access_tokens: isFlag,
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isVerifier = (value: unknown): value is Verifier =>
  isObject(value) &&
  'authorize' in value &&
  typeof value.authorize === 'function' &&
  'resource' in value &&
  isObject(value.resource)

/** Throws a TypeError for what is no verifier, as where arguments were given in another order. */
export const checkVerifier = (where: string, verifier: unknown): void => {
  if (!isVerifier(verifier)) throw new TypeError(`${where}: the first argument is not a verifier of createVerifier.`)
}

/** `guard` holds none or one: one that is undefined is a misspelled name, such as `GUARDS.order`, and not one that is absent. */
type Guarded = { readonly verifier: Verifier; readonly guard: readonly unknown[] }

/**
 * The guard as it was written: later changes to it change nothing. Throws a TypeError for the first member that is unknown or of
 * another kind; `more` are members beside those of a guard.
 */
export const takeGuard = <Taken extends Guard<never>>(
  where: string,
  { verifier, guard }: Guarded,
  more: Kinds = {},
): Readonly<Taken> => {
  checkVerifier(where, verifier)
  const given = guard.length === 0 ? {} : onlyOne(where, guard)
  return takeMembers<Taken>(where, given, { ...GUARD, ...more })
}

/** Throws a TypeError for what is no object, for a known member of another kind, and for one of a guard. RFC 9728 §2 allows further members. */
export const takeMetadata = (where: string, members: unknown): MetadataMembers => {
  const demanded = GUARD_NAMES.find(name => isObject(members) && name in members)
  if (demanded !== undefined)
    throw new TypeError(`${where}: metadata demand nothing of a token: "${demanded}" is of the guard of a route.`)
  const further: Kinds =
    isObject(members) && !Array.isArray(members)
      ? Object.fromEntries(Object.keys(members).map(name => [name, () => true]))
      : {}
  return takeMembers<MetadataMembers>(`${where}: metadata`, members, { ...further, ...METADATA })
}

/** A list as it is when it arrives: what becomes of it then is not demanded. */
const arrived = (given: unknown): unknown => (isShortList(given) ? copyItems(given) : given)

/** What a function of the guard answers. Whatever may have a `then` is given up where it does not settle. */
const settled = async (given: unknown): Promise<unknown> =>
  typeof given === 'function' || (isObject(given) && !ArrayBuffer.isView(given))
    ? inTime(WEB_RUNTIME.after, async () => arrived(await Promise.resolve(given)))
    : given

/** The scope items that a request needs. Rejects with what the function throws, where it does not settle, and for what is no list of them. */
export const scopesFor = async <Request>(
  { scopes = [] }: Guard<Request>,
  request: Request,
): Promise<readonly string[]> => {
  if (typeof scopes !== 'function') return scopes
  const given: unknown = scopes(request)
  const needed: unknown = Array.isArray(given) ? arrived(given) : await settled(given)
  if (isShortList(needed) && isScopeList(needed)) return needed
  throw new TypeError(`The function scopes of a guard did not return ${EXPECTED_SCOPES}. The request does not pass.`)
}

/** The certificate of a request. Rejects with what the function throws, where it does not settle, and for what is no certificate. */
export const certificateFor = async <Request>(
  { certificate }: Guard<Request>,
  request: Request,
): Promise<Certificate | undefined> => {
  const given: unknown = await settled(certificate?.(request))
  if (given === undefined || isCertificate(given)) return given
  throw new TypeError(`The function certificate of a guard did not return ${EXPECTED_CERTIFICATE}, or undefined.`)
}
