// Test vectors of DPoP proofs (RFC 9449 §4.2, §4.3): header, claims, spelling and limits.
import { createHash, constants, sign } from 'node:crypto'
import { PROOF_AHEAD_SECONDS_MAX } from '../../packages/verify/src/proofs/dpop.ts'
import {
  ID_CHARACTERS_MAX,
  PROOF_AGE_SECONDS_MAX,
  PROOF_ALGORITHMS,
  PROOF_CHARACTERS_MAX,
} from '../../packages/verify/src/readers/proof-claims.ts'
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { headerOf, type ProofChange, type ProofKey, signParts } from '../keys/dpop.ts'
import { type Genuine, resigned, uneven, withSurplusBit } from './forgeries.ts'
import {
  AUDIENCE,
  type Dpop,
  type Holder,
  type Materials,
  type Members,
  NOW_SECONDS,
  padded,
  PARTS,
  spelled,
  type TokenVector,
} from './vector.ts'

/** The request of all rows that name no other. */
export const CALLED = { method: 'GET', url: `${AUDIENCE}/orders` }

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')

/** Header and claims of a good proof for the request with this token, but for what is changed. */
const membersOf = (key: ProofKey, token: string, { header, claims }: ProofChange): readonly [Members, Members] => [
  { ...headerOf(key), ...header },
  { htm: CALLED.method, htu: CALLED.url, iat: NOW_SECONDS, ath: sha256(token), jti: 'proof-1', ...claims },
]

type Text = (json: string) => string

export const proofOf = (key: ProofKey, token: string, change: ProofChange = {}): string => {
  const [header, claims] = membersOf(key, token, change)
  return signParts(key, JSON.stringify(header), JSON.stringify(claims))
}

/** A token that is bound to the key of its holder. */
type Bound = { readonly holder: Holder; readonly other: Holder; readonly token: string }
type Prove = (bound: Bound) => string | null
type Proofs = Readonly<Record<string, readonly [refusal: RefusalCode | null, prove: Prove]>>

const claims =
  (changed: Members): Prove =>
  ({ holder, token }) =>
    proofOf(holder, token, { claims: changed })

const header =
  (changed: Members): Prove =>
  ({ holder, token }) =>
    proofOf(holder, token, { header: changed })

/** With members of the key added, or others in their place. */
const keyWith =
  (changed: Members): Prove =>
  ({ holder, token }) =>
    proofOf(holder, token, { header: { jwk: { ...holder.jwk, ...changed } } })

/** With header and claims changed as texts. */
const changedText =
  ({
    header: head = json => json,
    claims: body = json => json,
  }: {
    readonly header?: Text
    readonly claims?: Text
  }): Prove =>
  ({ holder, token }) => {
    const [first = '', second = ''] = membersOf(holder, token, {}).map(members => JSON.stringify(members))
    return signParts(holder, head(first), body(second))
  }

/** With a claim more, whose value is written as it is. */
const written = (name: string, value: string): Prove =>
  changedText({ claims: json => json.replace(/}$/, `,"${name}":${value}}`) })

const bad = (table: Readonly<Record<string, Prove>>): Proofs =>
  Object.fromEntries(Object.entries(table).map(([name, prove]) => [`a proof ${name}`, ['bad_proof', prove]]))

const good = (table: Readonly<Record<string, Prove>>): Proofs =>
  Object.fromEntries(Object.entries(table).map(([name, prove]) => [`a proof ${name}`, [null, prove]]))

/** A proof of exactly so many characters. Base64url has no text of 4n + 1, so the header grows as well. */
const ofLength =
  (length: number): Prove =>
  ({ holder, token }) => {
    const lengthWith = (x: string, more: string): string => proofOf(holder, token, { header: { x }, claims: { more } })
    for (const x of ['', 'x', 'xx']) {
      const room = Math.floor(((length - lengthWith(x, '').length) * 3) / 4)
      for (let count = room - 2; count <= room + 2; count += 1) {
        const text = lengthWith(x, 'x'.repeat(count))
        if (text.length === length) return text
      }
    }
    throw new Error(`No proof of ${length} characters.`)
  }

const OLDEST = NOW_SECONDS - PROOF_AGE_SECONDS_MAX
const LATEST = NOW_SECONDS + PROOF_AHEAD_SECONDS_MAX
const MANY_DIGITS = '1'.repeat(400)
/** Two UTF-16 units, which the limit on characters counts. */
const PAIR = '\u{1F600}'

const TIMES: Proofs = {
  ...good({
    'of the greatest age allowed': claims({ iat: OLDEST }),
    'as far ahead as allowed': claims({ iat: LATEST }),
    'whose iat has a fraction': claims({ iat: NOW_SECONDS - 0.5 }),
    'whose exp is in 1 s': claims({ exp: NOW_SECONDS + 1 }),
    'whose nbf is as far ahead as allowed': claims({ nbf: LATEST }),
  }),
  ...bad({
    'that is too old': claims({ iat: OLDEST - 1 }),
    'that is too far ahead': claims({ iat: LATEST + 1 }),
    'without iat': claims({ iat: undefined }),
    'whose iat is a text': claims({ iat: String(NOW_SECONDS) }),
    'whose iat is true': claims({ iat: true }),
    'whose exp is now': claims({ exp: NOW_SECONDS }),
    'whose exp is null': claims({ exp: null }),
    'whose exp is true': claims({ exp: true }),
    'whose exp is a text': claims({ exp: String(NOW_SECONDS + 1) }),
    'whose exp is 1e400': written('exp', '1e400'),
    'whose exp has 400 digits': written('exp', MANY_DIGITS),
    'whose nbf is too far ahead': claims({ nbf: LATEST + 1 }),
    'whose nbf is null': claims({ nbf: null }),
    'whose nbf is true': claims({ nbf: true }),
    'whose nbf is false': claims({ nbf: false }),
    'whose nbf is a text': claims({ nbf: String(NOW_SECONDS) }),
    'whose nbf is -1e400': written('nbf', '-1e400'),
    'whose nbf has 400 digits and a minus sign': written('nbf', `-${MANY_DIGITS}`),
  }),
}

const CLAIMS: Proofs = {
  ...bad({
    'for another method': claims({ htm: 'POST' }),
    'for the method in small letters': claims({ htm: 'get' }),
    'without htm': claims({ htm: undefined }),
    'for another path': claims({ htu: `${CALLED.url}/1` }),
    'without htu': claims({ htu: undefined }),
    'for another token': ({ holder, token }) => proofOf(holder, `${token}x`),
    'without ath': claims({ ath: undefined }),
    'whose ath has padding': ({ holder, token }) => proofOf(holder, token, { claims: { ath: `${sha256(token)}=` } }),
    'without jti': claims({ jti: undefined }),
    'with an empty jti': claims({ jti: '' }),
    'whose jti is 1': claims({ jti: 1 }),
    'whose jti is null': claims({ jti: null }),
    'whose jti is a list': claims({ jti: ['proof-1'] }),
    'with a jti that is too long': claims({ jti: 'j'.repeat(ID_CHARACTERS_MAX + 1) }),
    'with a jti of 129 characters of two units each': claims({ jti: PAIR.repeat(ID_CHARACTERS_MAX / 2 + 1) }),
  }),
  ...good({
    'with a jti of the greatest length allowed': claims({ jti: 'j'.repeat(ID_CHARACTERS_MAX) }),
    'with a jti of 128 characters of two units each': claims({ jti: PAIR.repeat(ID_CHARACTERS_MAX / 2) }),
    'whose jti is a lone surrogate': claims({ jti: '\ud800' }),
  }),
}

const HEADERS: Proofs = {
  ...bad({
    'of another typ': header({ typ: 'JWT' }),
    'of typ DPOP+JWT': header({ typ: 'DPOP+JWT' }),
    'of typ application/dpop+jwt': header({ typ: 'application/dpop+jwt' }),
    'with alg none': header({ alg: 'none' }),
    'with the algorithm of a key of another kind': header({ alg: 'RS256' }),
    'with alg constructor': header({ alg: 'constructor' }),
    'without a key': header({ jwk: undefined }),
    'with a private key': keyWith({ d: 'x' }),
    'with a key for no operation': keyWith({ key_ops: [] }),
    'with a key to sign': keyWith({ key_ops: ['sign'] }),
    'with an extension': header({ crit: ['x'], x: 1 }),
    'with b64 true': header({ b64: true }),
    'with zip': header({ zip: 'DEF' }),
    'with the key of the token, signed by another': ({ holder, other, token }) =>
      proofOf({ ...other, jwk: holder.jwk }, token),
  }),
  ...good({
    'with members of the key beyond those of the thumbprint': keyWith({ use: 'sig', kid: 'a' }),
    'with a header member more': header({ x: 1 }),
  }),
  'a proof by another key': ['wrong_key', ({ other, token }) => proofOf(other, token)],
  'a proof whose key has padding': ['wrong_key', bound => keyWith({ x: `${bound.holder.jwk.x}=` })(bound)],
}

const spelledProof =
  (part: (typeof PARTS)[number], change: Text): Prove =>
  ({ holder, token }) => {
    const [head, payload] = membersOf(holder, token, {})
    return spelled(holder, [uneven(JSON.stringify(head)), uneven(JSON.stringify(payload))], part, change)
  }

const TEXTS: Proofs = {
  'a good proof': [null, claims({})],
  'no proof': ['bad_proof', () => null],
  'an empty proof': ['bad_proof', () => ''],
  'two proofs': ['bad_proof', ({ holder, token }) => `${proofOf(holder, token)}, ${proofOf(holder, token)}`],
  'the token as proof': ['bad_proof', ({ token }) => token],
  ...good({ 'of the greatest length allowed': ofLength(PROOF_CHARACTERS_MAX) }),
  ...bad({
    'of one character too many': ofLength(PROOF_CHARACTERS_MAX + 1),
    'with a name twice in the header': changedText({ header: json => json.replace('{', '{"typ":"dpop+jwt",') }),
    'with a name twice in the key': changedText({ header: json => json.replace('"jwk":{', '"jwk":{"kty":"EC",') }),
    'with a name twice in the payload': changedText({ claims: json => json.replace('{', '{"htm":"GET",') }),
    ...Object.fromEntries(
      PARTS.flatMap(part => [
        [`with padding in the ${part}`, spelledProof(part, padded)],
        [`with a surplus bit in the ${part}`, spelledProof(part, withSurplusBit)],
      ]),
    ),
  }),
}

const PROOFS: Proofs = { ...TEXTS, ...CLAIMS, ...TIMES, ...HEADERS }

export const proofRow = (name: string, token: string, dpop: Dpop, refusal: RefusalCode | null): TokenVector => ({
  name,
  token,
  dpop,
  refusal,
  ...(refusal === null && { again: 'replayed_proof' }),
})

export const boundTo = (genuine: Genuine, jkt: string): string => resigned(genuine, { claims: { cnf: { jkt } } })

/** Proofs for a token that is bound to the holder's key. Those that are accepted are accepted once. */
export const proofRows = ({ genuine, holders: { ES256: holder }, other }: Materials): readonly TokenVector[] => {
  const token = boundTo(genuine, holder.jkt)
  return Object.entries(PROOFS).map(([name, [refusal, prove]]) =>
    proofRow(name, token, { ...CALLED, proof: prove({ holder, other, token }) }, refusal),
  )
}

/** A signature whose salt is half as long as the hash. */
export const withOtherSalt = (text: string, { privateKey }: ProofKey): string => {
  const input = text.split('.').slice(0, 2).join('.')
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 16 }
  return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, ...padding }).toString('base64url')}`
}

/** A token for a proof by each algorithm, bound to a key of that kind. */
export const proofAlgorithmRows = ({ genuine, holders }: Materials): readonly TokenVector[] =>
  PROOF_ALGORITHMS.flatMap(alg => {
    const key = holders[alg]
    const token = boundTo(genuine, key.jkt)
    const proof = proofOf(key, token)
    const [head = '', payload = ''] = proof.split('.')
    const [, , signature] = proofOf(key, token, { claims: { jti: 'proof-2' } }).split('.')
    const rows: readonly (readonly [string, string, RefusalCode | null])[] = [
      [`a proof by ${alg}`, proof, null],
      [`a proof by ${alg} with the signature of another proof`, `${head}.${payload}.${signature}`, 'bad_proof'],
      ...(alg === 'PS256'
        ? [['a proof by PS256 with a salt of another length', withOtherSalt(proof, key), 'bad_proof'] as const]
        : []),
    ]
    return rows.map(([name, text, refusal]) => proofRow(name, token, { ...CALLED, proof: text }, refusal))
  })
