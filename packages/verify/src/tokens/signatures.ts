// Verifies what the service signs, access tokens and documents of the feed, by its key set: strict, and of one type each.
import { isKid } from '../readers/kid.ts'
import { type Refusal, refusal } from '../refusals.ts'
import { decodeBase64url, makeCompactReader } from '../readers/compact-jws.ts'
import type { JsonObject } from '../readers/json.ts'
import { isAlgorithm, type KeySet, type VerificationKey } from './key-set.ts'

export type Signed = { readonly payload: JsonObject; readonly kid: string; readonly alg: string }

/** Read, and not verified: nothing in it is believed. */
export type Unverified = Signed & { readonly parts: readonly [string, string, string] }

const HEADER_MEMBERS = 3

/** Reads texts whose header has exactly `alg`, `kid` and `typ`, and that type: whatever else a header brings is refused. */
export const makeReader = (type: string, charactersMax: number): ((text: string) => Unverified | Refusal) => {
  const readCompact = makeCompactReader(charactersMax)
  return text => {
    const jws = readCompact(text)
    if (jws === undefined) {
      return refusal(
        'malformed',
        `The text is not a compact JWS in its canonical form of at most ${charactersMax} characters.`,
      )
    }
    const { alg, kid, typ } = jws.header
    if (typ !== type) return refusal('wrong_type', `typ is not ${type}.`)
    if (!isAlgorithm(alg)) return refusal('wrong_algorithm', 'alg is none that is accepted.')
    if (typeof kid !== 'string' || !isKid(kid) || Object.keys(jws.header).length !== HEADER_MEMBERS) {
      return refusal('malformed', 'The header does not hold exactly alg, kid and typ.')
    }
    return { payload: jws.payload, kid, alg, parts: jws.parts }
  }
}

const encoder = new TextEncoder()

/** jose's own verification would decode header and payload once more: that is a tenth of the time of a token. */
const isSigned = ([header, payload, signature]: Unverified['parts'], { key, parameters }: VerificationKey) =>
  crypto.subtle.verify(parameters, key, decodeBase64url(signature), encoder.encode(`${header}.${payload}`))

/** Why the signature of a text is not that of a key of the issuer; undefined where it is. */
export const signatureRefusal = async (
  keySet: KeySet,
  { kid, alg, parts }: Unverified,
): Promise<Refusal | undefined> => {
  const held = keySet.peek(kid)
  const found = held ?? (await keySet.find(kid))
  if (found === 'unavailable') return refusal('keys_unavailable', 'The key set of the issuer cannot be had.')
  if (found === 'pending') return refusal('key_pending', 'The key set was read a moment ago, and has no such kid.')
  if (found === 'unknown') return refusal('unknown_key', 'No key of the issuer has the kid.')
  if (found.alg !== alg) return refusal('wrong_algorithm', `alg is not ${found.alg}, which the key is for.`)
  return (await isSigned(parts, found)) ? undefined : refusal('bad_signature', 'The signature does not verify.')
}
