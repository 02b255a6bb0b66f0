// Claims of one's own: what the tokens of an agent say because operators want them to, beside what every token says.
import { unprintableIn } from './name.ts'

/** Members of an agent's `claims`. */
export const OWN_CLAIMS_MAX = 16
/** Bytes of an agent's `claims` as JSON, in UTF-8. */
export const OWN_CLAIMS_BYTES_MAX = 2048
/** Names in MINTMARK_CLAIM_NAMES. */
export const CLAIM_NAMES_MAX = 64

export type OwnClaim = string | number | boolean | readonly string[]

/** By name; names are sorted, so that the same claims are one text. */
export type OwnClaims = Readonly<Record<string, OwnClaim>>

export const NO_OWN_CLAIMS: OwnClaims = {}

/** Names that mean something in tokens, or in answers about them, by who says so. RFC 9068 §2.2.3.1 leaves `groups`, `roles` and `entitlements`. */
const RESERVED: readonly string[] = [
  ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'], // RFC 7519 §4.1
  ['client_id', 'auth_time', 'acr', 'amr', 'scope'], // RFC 9068 §2.2
  ['act', 'may_act'], // RFC 8693 §4
  ['cnf'], // RFC 7800 §3.1
  ['active', 'username', 'token_type'], // RFC 7662 §2.2
  ['token_introspection', 'authorization_details', 'sub_id'], // RFC 9701 §5, RFC 9396 §9, RFC 9493 §4.1
  ['nonce', 'azp', 'at_hash', 'c_hash', 'sub_jwk', '_claim_names', '_claim_sources', 'sid'], // ID tokens
  ['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'], // OpenID Connect Core §5.1
  ['profile', 'picture', 'website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale'],
  ['phone_number', 'phone_number_verified', 'address', 'updated_at'],
  ['scp'], // the scopes of other issuers
  ['seq', 'credential_id', 'lineage'], // ours
].flat()

/** .NET reads roles, scopes and who signed in from claims that are called so. */
const RESERVED_URIS = /^https?:\/\/schemas\.(?:microsoft\.com|xmlsoap\.org)\//i

/** In any case: encoding/json of Go takes `aUD` for `aud`. */
export const isReservedClaim = (name: string): boolean =>
  RESERVED.includes(name.toLowerCase()) || RESERVED_URIS.test(name)

/** It opens with a letter: an object puts names that are numbers before all others. */
const PLAIN_NAME = /^[a-z][A-Za-z0-9_]{0,63}$/

export const PLAIN_NAME_FORM = '1 to 64 letters, digits and underscores that open with one of a-z'

export const OWN_CLAIM_NAME_FORM = `a URI, or ${PLAIN_NAME_FORM}`

/** Whether a claim may be called so that MINTMARK_CLAIM_NAMES lists. */
export const isPlainClaim = (name: string): boolean => PLAIN_NAME.test(name)

/** A scheme and characters of RFC 3986: claims are called so, and not fetched. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/
const URI_CHARACTERS_MAX = 255

const isUri = (name: string): boolean => name.length <= URI_CHARACTERS_MAX && URI.test(name)

export const isOwnClaimName = (name: string): boolean => isPlainClaim(name) || isUri(name)

export const OWN_CLAIM_FORM =
  'printable text, a number between -(2^53) and 2^53, true or false, or a list of printable texts'

/** Whether its type is one of a claim; what else is asked of it, {@link mistakeInClaims} says. */
export const isOwnClaim = (value: unknown): value is OwnClaim =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(one => typeof one === 'string'))

/** Not every reader reads a greater number as it was written (RFC 8259 §6). */
const isReadByAll = (number: number): boolean => Math.abs(number) <= Number.MAX_SAFE_INTEGER

/** Why the value is none; undefined where it may be one. */
const mistakeInValue = (value: OwnClaim): string | undefined => {
  const texts = [value].flat().filter(one => typeof one === 'string')
  const unprintable = texts.map(unprintableIn).find(mistake => mistake !== '')
  const isWrong = unprintable !== undefined || (typeof value === 'number' && !isReadByAll(value))
  return isWrong ? `is not ${OWN_CLAIM_FORM}${unprintable ?? ''}` : undefined
}

const encoder = new TextEncoder()

/** What is wrong, to follow the name of what has it: of one claim, or of all. */
type Mistake = { readonly name?: string; readonly message: string }

const mistakeInOne = ([name, value]: readonly [string, OwnClaim]): Mistake | undefined => {
  if (isReservedClaim(name)) return { name, message: 'has a meaning of its own: give the claim another name' }
  const message = mistakeInValue(value)
  return message === undefined ? undefined : { name, message }
}

/** Why these are no claims of an agent, whose names are names; undefined where they may be. */
export const mistakeInClaims = (claims: OwnClaims): Mistake | undefined => {
  const entries = Object.entries(claims)
  if (entries.length > OWN_CLAIMS_MAX) return { message: `has more than ${OWN_CLAIMS_MAX} members` }
  for (const entry of entries) {
    const mistake = mistakeInOne(entry)
    if (mistake !== undefined) return mistake
  }
  return encoder.encode(JSON.stringify(claims)).length > OWN_CLAIMS_BYTES_MAX
    ? { message: `is more than ${OWN_CLAIMS_BYTES_MAX} bytes of JSON` }
    : undefined
}

/** Whether each name is a URI, or listed. */
export const areNamesListed = (claims: OwnClaims, listed: readonly string[]): boolean =>
  Object.keys(claims).every(name => isUri(name) || listed.includes(name))
