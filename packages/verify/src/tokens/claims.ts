// In this folder: how a token is verified: claims, the key set of the issuer, signatures, introspection; and the cache of verified ones.
// The claims of an access token (RFC 9068 §2.2) in the form that Mintmark gives them: anything else is refused.
import type { Claims } from '../readers/claim-types.ts'
import { isJsonObject, type JsonObject } from '../readers/json.ts'
import { SCOPE_ITEM } from '../readers/scope.ts'
import { type Refusal, refusal } from '../refusals.ts'

/** The most parent edges that a token may have. */
export const ANCESTORS_MAX = 8
export const AUDIENCES_MAX = 8
export const SCOPE_ITEMS_MAX = 16
export const TEXT_CHARACTERS_MAX = 2048
const THUMBPRINT = /^[\w-]{43}$/
/** UUIDv7 (RFC 9562 §5.7) in small letters. */
const TOKEN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SCOPE = new RegExp(`^${SCOPE_ITEM}(?: ${SCOPE_ITEM}){0,${SCOPE_ITEMS_MAX - 1}}$`)

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_CHARACTERS_MAX

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isTokenId = (value: unknown): value is string => typeof value === 'string' && TOKEN_ID.test(value)

const isAudience = (value: unknown): boolean =>
  isText(value) ||
  (Array.isArray(value) && value.length > 0 && value.length <= AUDIENCES_MAX && value.every(item => isText(item)))

const isScope = (value: unknown): boolean => typeof value === 'string' && (value === '' || SCOPE.test(value))

const isActor = (value: unknown, depth = 0): boolean => {
  if (!isJsonObject(value) || depth > ANCESTORS_MAX || !isText(value['sub'])) return false
  return value['act'] === undefined || isActor(value['act'], depth + 1)
}

const isAncestor = (value: unknown): boolean =>
  isJsonObject(value) &&
  isTokenId(value['id']) &&
  isCount(value['exp']) &&
  isCount(value['seq']) &&
  ['agent_id', 'credential_id', 'kid'].every(name => isText(value[name]))

const isLineage = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= ANCESTORS_MAX &&
  value.every(ancestor => isAncestor(ancestor))

/** One key, of a kind that can be checked: a token that is bound in a way unknown here must not pass as a bearer token. */
const isConfirmation = (value: unknown): boolean => {
  if (!isJsonObject(value)) return false
  const [method = '', ...others] = Object.keys(value)
  const thumbprint = value[method]
  const isKnown = method === 'jkt' || method === 'x5t#S256'
  return isKnown && others.length === 0 && typeof thumbprint === 'string' && THUMBPRINT.test(thumbprint)
}

const orAbsent =
  (isGood: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || isGood(value)

const FORMS: Readonly<Record<keyof Claims, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  aud: isAudience,
  client_id: isText,
  iat: isCount,
  exp: isCount,
  nbf: orAbsent(isCount),
  jti: isTokenId,
  scope: orAbsent(isScope),
  seq: orAbsent(isCount),
  act: orAbsent(isActor),
  credential_id: orAbsent(isText),
  lineage: orAbsent(isLineage),
  cnf: orAbsent(isConfirmation),
}

const ROWS = Object.entries(FORMS)

const isClaims = (payload: JsonObject): payload is JsonObject & Claims => {
  for (const [name, isGood] of ROWS) if (!isGood(payload[name])) return false
  return true
}

export type Expected = { readonly issuer: string; readonly audiences: readonly string[] }

export const audiencesOf = ({ aud }: Pick<Claims, 'aud'>): readonly string[] => (typeof aud === 'string' ? [aud] : aud)

export const scopesOf = ({ scope = '' }: Pick<Claims, 'scope'>): readonly string[] =>
  scope === '' ? [] : scope.split(' ')

/** The claims of a payload, or which of them is not as it should be. Its times are compared by {@link timeRefusal}. */
export const readClaims = (payload: JsonObject, { issuer, audiences }: Expected): Claims | Refusal => {
  // First, so that a token of another service is called that, whatever else it holds.
  if (payload['iss'] !== issuer) return refusal('wrong_issuer', `iss is not ${issuer}.`)
  if (!isClaims(payload)) {
    const [name] = ROWS.find(([one, isGood]) => !isGood(payload[one])) ?? []
    return refusal('bad_claims', `The claim ${name} is missing or is not of its form.`)
  }
  if (payload.exp <= payload.iat) return refusal('bad_claims', 'The claim exp is not after iat.')
  if (!audiencesOf(payload).some(audience => audiences.includes(audience))) {
    return refusal('wrong_audience', `aud holds none of: ${audiences.join(', ')}.`)
  }
  return payload
}

/** A verifier whose clock is behind may see a token before it was issued. */
export const CLOCK_TOLERANCE_SECONDS = 60

/**
 * Between these the present time lies, in ms since 1970. They differ where the clocks of this machine do: one of them was set, or
 * stood still while the machine was suspended.
 */
export type TimeRange = { readonly earliestMs: number; readonly latestMs: number }

/** Why the token is not valid at this time, in ms since 1970; undefined where it is. Valid is `now < exp`. */
const refusalAt = ({ exp, iat, nbf }: Claims, nowMs: number): Refusal | undefined => {
  if (nowMs >= exp * 1000) return refusal('expired', 'exp has passed.')
  const starts = Math.max(iat, nbf ?? 0)
  if (nowMs + CLOCK_TOLERANCE_SECONDS * 1000 < starts * 1000) return refusal('not_yet_valid', 'iat or nbf is to come.')
  return undefined
}

/** Why the token is not valid at any time of the range; undefined where it is at each; `unsure` where that depends. */
export const timeRefusal = (claims: Claims, { earliestMs, latestMs }: TimeRange): Refusal | 'unsure' | undefined => {
  const refused = refusalAt(claims, latestMs)
  if (earliestMs === latestMs) return refused
  return refusalAt(claims, earliestMs)?.refusal === refused?.refusal ? refused : 'unsure'
}
