// The keys that a client registers: public ones only, strong, and distinguishable.
import type { RegisteredJwk } from '../../domain/clients/client-trust.ts'
import { isJsonObject, type JsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { hasPrivateMember } from '../../../../packages/verify/src/readers/jwk.ts'
import { KEY_KINDS_TAKEN, parseMemberKey, PUBLIC_MEMBERS } from '../providers/provider-key.ts'

const KEPT_MEMBERS = [...PUBLIC_MEMBERS, 'kid', 'alg']
const KID_CHARACTERS_MAX = 256

const wrong = (why: string): { readonly wrong: string } => ({ wrong: why })

/** What is needed of a key, and nothing that came with it. */
const publicMembersOf = (jwk: JsonObject): RegisteredJwk =>
  Object.fromEntries(
    KEPT_MEMBERS.flatMap(name => {
      const value = jwk[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

const NO_KEY = wrong(
  `holds something other than a public key for signatures: ${KEY_KINDS_TAKEN}, with no alg or one of its kind`,
)

/** A key as it is kept, and the name that it is known by. */
type NamedJwk = { readonly jwk: RegisteredJwk; readonly kid: string | undefined }

const readOne = (jwk: unknown): NamedJwk | { readonly wrong: string } => {
  const parsed = parseMemberKey(jwk)
  if (!isJsonObject(jwk) || parsed === undefined) return NO_KEY
  const { kid, read } = parsed
  if (kid === '' || (kid ?? '').length > KID_CHARACTERS_MAX) {
    return wrong(`holds a key whose kid is not 1 to ${KID_CHARACTERS_MAX} characters`)
  }
  const key = read()
  return 'wrong' in key ? wrong(`holds a key that is ${key.wrong}`) : { jwk: publicMembersOf(jwk), kid }
}

/** The public members of the keys of a set, or what is wrong with it. Nothing of a key is repeated. */
export const readRegisteredKeys = (keys: readonly unknown[]): readonly RegisteredJwk[] | { readonly wrong: string } => {
  if (keys.some(key => isJsonObject(key) && hasPrivateMember(key))) {
    return wrong('holds a private key, which nobody but its owner may have: make another, and register its public half')
  }
  const strong: NamedJwk[] = []
  for (const read of keys.map(readOne)) {
    if ('wrong' in read) return read
    strong.push(read)
  }
  const names = new Set(strong.map(({ kid }) => kid))
  return names.size === strong.length ? strong.map(({ jwk }) => jwk) : wrong('holds two keys with the same kid')
}
