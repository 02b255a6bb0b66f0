// In this folder: when a token is dead and what ended it, and what a revocation covers. Every store decides by these functions.
// The claims of our access tokens (RFC 9068 §2.2), the address that can be read from them before verification, and the
// ids of tokens.
import type { Actor, Claims, Confirmation } from '../../../../packages/verify/src/readers/claim-types.ts'
import { isJsonObject, parseObject } from '../../../../packages/verify/src/readers/json.ts'
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { OwnClaims } from '../../../../api/values/own-claims.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

/** The claims that every token of ours has, and those that some have. */
export type AccessTokenClaims = Omit<Claims, 'nbf'> &
  Required<Pick<Claims, 'scope' | 'seq' | 'credential_id'>> & {
    /** Those of its agent's own; absent where it has none. */
    readonly own?: OwnClaims
  }

/** `actors` are ids of agents, the last to act first; `before` are those of whom an issuer says that they acted before. */
export const actorClaim = (actors: readonly string[], before?: Actor): Actor | undefined =>
  actors.reduceRight<Actor | undefined>((act, sub) => (act === undefined ? { sub } : { sub, act }), before)

/** How many actors there are. */
export const countActors = (act: Actor | undefined): number => (act === undefined ? 0 : 1 + countActors(act.act))

/** `aud` is a string if there is one audience (RFC 7519 §4.1.3). */
export const audienceClaim = (audiences: readonly string[]): string | readonly string[] => {
  const [only] = audiences
  return audiences.length === 1 && only !== undefined ? only : audiences
}

/** The address of a token's row by its unverified payload; the digest verifies it. */
export type TokenAddress = { readonly id: string; readonly lifetimeSeconds: number }

/**
 * The payload of a token, its members in the order that {@link addressReader}, {@link confirmationIn}, {@link foreignActIn} and
 * {@link ownClaimsIn} expect. The agent's own claims have no objects and no names of ours, so they can be taken for no other member;
 * a new member stands before `credential_id`.
 */
export const formatClaims = (claims: AccessTokenClaims): string => {
  const { iss, sub, aud, client_id, iat, exp, jti, scope, seq, act, credential_id, own, lineage, cnf } = claims
  if (own !== undefined) {
    const first = { iss, sub, aud, client_id, iat, exp, jti, scope, seq, act, credential_id }
    return JSON.stringify({ ...first, ...own, ...first, lineage, cnf })
  }
  if (act === undefined && lineage === undefined) {
    return JSON.stringify({ iss, sub, aud, client_id, iat, exp, jti, scope, seq, credential_id, cnf })
  }
  return JSON.stringify({ iss, sub, aud, client_id, iat, exp, jti, scope, seq, act, credential_id, lineage, cnf })
}

// JSON escapes quotation marks in strings, so no value can contain the text of these members.
const ADDRESS = /,"iat":(\d{1,12}),"exp":(\d{1,12}),"jti":"([0-9a-f-]{36})",/

/**
 * Reads the address in an unverified payload; undefined if it cannot be a token of this issuer. It searches the text,
 * because parsing all claims costs as much as looking up the token. A payload of another issuer is searched as long as one of
 * this issuer.
 */
export const addressReader = (issuer: string): ((payload: string) => TokenAddress | undefined) => {
  const start = `{"iss":${JSON.stringify(issuer)},`
  return payload => {
    const found = ADDRESS.exec(payload)
    if (found === null) return undefined
    const [, iat, exp, id = ''] = found
    if (!isTokenId(id) || Number(iat) !== issuedSecondOf(id)) return undefined
    const lifetimeSeconds = Number(exp) - Number(iat)
    if (!payload.startsWith(start)) return undefined
    return lifetimeSeconds >= 1 && lifetimeSeconds <= LIFETIME_SECONDS_MAX ? { id, lifetimeSeconds } : undefined
  }
}

const BOUND_KEY = /,"cnf":\{"(jkt|x5t#S256)":"([\w-]{43})"\}\}$/

/** The `cnf` of our payload, its last member; undefined if there is none. */
export const confirmationIn = (payload: string): Confirmation | undefined => {
  const [, method, thumbprint = ''] = BOUND_KEY.exec(payload) ?? []
  if (method === undefined) return undefined
  return method === 'jkt' ? { jkt: thumbprint } : { 'x5t#S256': thumbprint }
}

const FOREIGN_ACT = '"act":{"iss":'

/** The actors in our payload that are no agents: the innermost, which an issuer named; undefined where there are none. */
export const foreignActIn = (payload: string): Actor | undefined => {
  if (!payload.includes(FOREIGN_ACT)) return undefined
  const start = payload.indexOf(',"act":')
  const end = payload.indexOf(',"credential_id":', start)
  if (start === -1 || end === -1) return undefined
  let act: unknown = parseObject(Buffer.from(payload.slice(start + ',"act":'.length, end)))
  while (isJsonObject(act) && act['iss'] === undefined) act = act['act']
  return isJsonObject(act) ? (act as Actor) : undefined // as `formatClaims` wrote it, where the text is ours
}

const CREDENTIAL = ',"credential_id":"'
const [LINEAGE, CONFIRMATION] = [',"lineage":', ',"cnf":'] as const

/** The agent's own claims in our payload, as JSON; undefined where there are none. */
export const ownClaimsIn = (payload: string): string | undefined => {
  const credential = payload.indexOf(CREDENTIAL)
  if (credential === -1) return undefined
  const start = payload.indexOf('"', credential + CREDENTIAL.length) + 1
  if (!payload.startsWith(',"', start) || payload.startsWith(LINEAGE, start) || payload.startsWith(CONFIRMATION, start))
    return undefined
  const ends = [LINEAGE, CONFIRMATION].map(next => payload.indexOf(next, start)).filter(at => at !== -1)
  return `{${payload.slice(start + 1, Math.min(...ends, payload.length - 1))}}`
}

const PLAIN_END = /,"seq":\d{1,16},"credential_id":"[0-9a-f-]{36}"\}$/
const PLAIN_END_CHARACTERS = 79

/** Whether our payload has no `act` between `seq` and `credential_id`, and nothing behind those: then it need not be searched for more. */
export const endsPlainly = (payload: string): boolean => PLAIN_END.test(payload.slice(-PLAIN_END_CHARACTERS))

// Token ids: UUIDv7 (RFC 9562 §5.7) made with the store's clock. They contain the time of issue, and so sort by it.

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const hex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += (byte + 0x1_00).toString(16).slice(1)
  return text
}

const timePrefix = (issuedAt: Milliseconds): string => {
  const text = issuedAt.toString(16).padStart(12, '0')
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

/** A token id for the time `issuedAt`; `random` is 10 bytes. */
export const makeTokenId = (issuedAt: Milliseconds, random: Uint8Array): string => {
  const text = hex(random)
  const variant = ((random[2] ?? 0) & 0x3f) | 0x80
  return `${timePrefix(issuedAt)}-7${text.slice(1, 4)}-${variant.toString(16)}${text.slice(6, 8)}-${text.slice(8)}`
}

/** Whether the text can be a token id of ours. */
export const isTokenId = (text: string): boolean => UUID_V7.test(text)

/** When the token was issued, by the store's clock. */
export const issuedAtOf = (id: string): Milliseconds => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The claim `iat`: whole seconds, rounded down. */
export const issuedSecondOf = (id: string): Seconds => Math.floor(issuedAtOf(id) / 1000)

/** The claim `exp` of the token: a token is active while `now < exp`. */
export const expiresSecondOf = (id: string, lifetimeSeconds: number): Seconds => issuedSecondOf(id) + lifetimeSeconds

/** The smallest id of a token issued at `instant` or later. Ids compare as strings like their bytes. */
export const lowestIdAt = (instant: Milliseconds): string => {
  const bounded = Math.min(Math.max(instant, 0), 0xffff_ffff_ffff)
  return `${timePrefix(bounded)}-0000-0000-000000000000`
}

/** Greater than every id. */
export const ABOVE_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The smallest id of a token with this lifetime that has not expired at `now`. */
export const lowestLiveId = (now: Milliseconds, lifetimeSeconds: number): string =>
  lowestIdAt(1000 * (Math.floor(now / 1000) - lifetimeSeconds + 1))
