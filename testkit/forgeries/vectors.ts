// Test vectors for verifiers in other languages: what @mintmark/verify answers in mode `offline`. `vectors.json` beside this file holds
// them; `node testkit/forgeries/vectors.ts` writes it, and a test compares the file with what this one would write.
//
// For each row make one verifier with `issuer` and `audience`, all else as it is by default, and its clock at `now` (seconds since 1970).
// Answer GET {issuer}/.well-known/jwks.json with `jwks`. The verifier must request nothing else.
//   tokens: {group, alg, name, token, scopes?, dpop?, certificate?, certificate_der?, filled_to?, algorithms?, refusal, again?, then?,
//            challenge_scheme?, claims?, granted?}
//       `group`: `weakness` is a forgery of weaknesses.ts. `alg`: of the token that it is made from. Where an implementation lacks
//       ML-DSA-65, it leaves out the rows of that algorithm: all others hold without that key.
//       `token`: null or any text. `scopes`: those that the request needs.
//       `dpop`: {method, url, proof} where the scheme is DPoP, else Bearer; `proof` is null where the request has none.
//       `certificate`: of the caller in PEM, or `certificate_der`: in DER, as base64. `filled_to`: spaces follow it to that length.
//       `algorithms`: the option of the verifier.
//       `refusal`: null where the token is accepted. `again`: the refusal of the same call to the same verifier once more; where it is
//       absent the answer is the same again. `then`: [{token?, dpop, refusal}], the calls of that verifier after those two, in order,
//       without scopes and certificate; where `token` is absent it is that of the row.
//       `challenge_scheme`: the scheme of the challenge (see ../refusals), only where it is another than that of the request.
//       `claims`: those of the token as they must be read, and `granted`: the items of its scope. Only rows that test reading have
//       them. -0 is written as 0.
//   requests: {name, authorization, proof, method, url, scopes?, refusal, challenge_scheme?}
//       The headers Authorization and DPoP of a request, null where they are absent. Each challenge has its scheme here.
//   key_sets: {name, alg, body, filled_to?, refusal}
//       `body` in place of `jwks`, and the refusal of the genuine token of that algorithm: the first row of it in `tokens`.
// Texts are ASCII: other characters are escaped. Some are lone surrogates, which UTF-8 cannot hold.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import { PROOF_ALGORITHMS } from '../../packages/verify/src/readers/proof-claims.ts'
import { ALGORITHMS, type Algorithm } from '../../packages/verify/src/tokens/key-set.ts'
import { CLAIMS, ISSUER } from '../feed/case.ts'
import { signParts } from '../keys/dpop.ts'
import { fixedKey } from '../keys/fixed-keys.ts'
import { formatRows, toAscii } from '../refusals/refusals.ts'
import { keepChance } from './kept-chance.ts'
import { addressRows } from './vector-addresses.ts'
import {
  type Answer,
  answerToKeySet,
  answerToRequest,
  answerToToken,
  type Jwk,
  type Setting,
} from './vector-answers.ts'
import { certificateRows } from './vector-certificates.ts'
import { BAD_CLAIMS, FOREIGN_CLAIMS, GOOD_CLAIMS, ORDER, SCOPES, TIMES } from './vector-claims.ts'
import { keySetsOf, type KeySetVector } from './vector-key-sets.ts'
import { proofAlgorithmRows, proofRows, withOtherSalt } from './vector-proofs.ts'
import { replayRows, schemeRows } from './vector-replays.ts'
import { requestRows, type RequestVector } from './vector-requests.ts'
import { BAD_JSON, BAD_TEXTS, GOOD_TEXTS, HEADERS, NUMBERS } from './vector-texts.ts'
import {
  AUDIENCE,
  type Holder,
  type Materials,
  NOW_SECONDS,
  type RowTable,
  rowsOf,
  type TokenVector,
} from './vector.ts'
import { type ForgedAlgorithm, weaknessesOf } from './weaknesses.ts'

export const VECTORS_FILE = resolve(import.meta.dirname, 'vectors.json')

/** No forgery makes a verifier call it. */
const TRAP = 'https://trap.example'

/** A row in its place. The first row of each algorithm is its genuine token. */
type Placed = TokenVector & { readonly group: string; readonly alg: Algorithm }

export type Vectors = Setting & {
  readonly about: string
  readonly tokens: readonly (Placed & Omit<Answer, 'later'>)[]
  readonly requests: readonly (RequestVector & Answer)[]
  readonly key_sets: readonly KeySetVector[]
}

const byAlgorithm = async <Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Promise<Value>,
): Promise<Readonly<Record<Name, Value>>> =>
  Object.fromEntries(await Promise.all(names.map(async name => [name, await make(name)] as const))) as Record<
    Name,
    Value
  >

const makeHolder = async (role: 'holder' | 'other', alg: string): Promise<Holder> => {
  const key = fixedKey(role, alg)
  return { ...key, jkt: await calculateJwkThumbprint(key.jwk) }
}

const publish = async (alg: Algorithm): Promise<Jwk> => {
  const { jwk } = fixedKey('issuer', alg)
  return { ...jwk, alg, kid: await calculateJwkThumbprint(jwk), use: 'sig' }
}

type MaterialsOf = Readonly<Record<Algorithm, Materials>>

const makeMaterials = async (
  keys: Readonly<Record<Algorithm, Jwk>>,
  before: Vectors | undefined,
): Promise<MaterialsOf> => {
  const holders = await byAlgorithm(PROOF_ALGORITHMS, alg => makeHolder('holder', alg))
  const other = await makeHolder('other', 'ES256')
  return byAlgorithm(ALGORITHMS, async alg => {
    const key = fixedKey('issuer', alg)
    const header = { alg, kid: keys[alg].kid, typ: 'at+jwt' }
    const make = (): string => signParts(key, JSON.stringify(header), JSON.stringify(CLAIMS))
    const text = keepChance(before?.tokens.find(row => row.alg === alg)?.token, make(), make())
    return { genuine: { text, key, header, claims: CLAIMS, trap: TRAP }, holders, other }
  })
}

const TABLES: Readonly<Record<string, RowTable>> = {
  genuine: { ...GOOD_CLAIMS, ...GOOD_TEXTS },
  number: NUMBERS,
  text: { ...BAD_TEXTS, ...BAD_JSON },
  header: HEADERS,
  claims: { ...BAD_CLAIMS, ...FOREIGN_CLAIMS },
  time: TIMES,
  scope: SCOPES,
  order: ORDER,
}

/** Over RS256 only the forgeries that depend on the algorithm of the key. */
const OF_RSA =
  /^(?:HS\d|PS\d|RS\d|a signature|a block|a key of its own|a certificate in|alg "(?:RS|HS|es|ES))|of another kind|in the signature$/

const weaknessRows = (alg: ForgedAlgorithm, { genuine }: Materials): readonly TokenVector[] =>
  weaknessesOf(alg)
    .filter(({ name }) => alg === 'ES256' || OF_RSA.test(name))
    .map(({ name, forge }) => ({ name, token: forge(genuine) }))

/** The genuine token of an algorithm, and one whose signature is of other claims. */
const algorithmRows = (alg: Algorithm, { genuine }: Materials): readonly Placed[] => {
  const [header, payload] = genuine.text.split('.')
  const [, , signature] = signParts(genuine.key, JSON.stringify(genuine.header), '{}').split('.')
  return [
    { group: 'genuine', alg, name: 'the genuine token', token: genuine.text, refusal: null },
    {
      group: 'signature',
      alg,
      name: 'a signature over other claims',
      token: `${header}.${payload}.${signature}`,
      refusal: 'bad_signature',
    },
  ]
}

/** Tokens whose key is published for another algorithm, and a signature that PS256 does not have. */
const keyRows = ({ RS256, PS256, Ed25519 }: MaterialsOf): RowTable => {
  const claims = JSON.stringify(CLAIMS)
  return {
    'the kid of a key for another algorithm': [
      'wrong_algorithm',
      ({ key, header }) => signParts(key, JSON.stringify({ ...header, kid: RS256.genuine.header['kid'] }), claims),
    ],
    'alg EdDSA over a key for Ed25519': [
      'wrong_algorithm',
      () => signParts(Ed25519.genuine.key, JSON.stringify({ ...Ed25519.genuine.header, alg: 'EdDSA' }), claims),
    ],
    'alg PS256 and a salt of another length': [
      'bad_signature',
      () => withOtherSalt(PS256.genuine.text, PS256.genuine.key),
    ],
  }
}

const makeTokenRows = (materials: MaterialsOf): readonly Placed[] => {
  const place = (group: string, alg: Algorithm, rows: readonly TokenVector[]): readonly Placed[] =>
    rows.map(row => ({ group, alg, ...row }))
  const usual = materials.ES256
  return [
    ...ALGORITHMS.flatMap(alg => algorithmRows(alg, materials[alg])),
    ...(['ES256', 'RS256'] as const).flatMap(alg => place('weakness', alg, weaknessRows(alg, materials[alg]))),
    ...Object.entries(TABLES).flatMap(([group, table]) => place(group, 'ES256', rowsOf(table, usual.genuine))),
    ...place('text', 'ES256', [{ name: 'no token', token: null, refusal: 'missing_token' }]),
    ...place('header', 'ES256', rowsOf(keyRows(materials), usual.genuine)),
    ...place('proof', 'ES256', [...proofRows(usual), ...proofAlgorithmRows(usual), ...schemeRows(usual)]),
    ...place('address', 'ES256', addressRows(usual)),
    ...place('replay', 'ES256', replayRows(usual)),
    ...place('certificate', 'ES256', certificateRows(usual)),
  ]
}

/** The rows of two makings, with what chance made before. Of rows that ask the same in the same words only the first one stays. */
const keepRows = <Row extends { readonly name: string }>(
  before: readonly Row[] | undefined,
  make: () => readonly Row[],
): readonly Row[] => {
  const idOf = ({ name, ...row }: Row & { readonly group?: string; readonly alg?: string }): string =>
    [row.group, row.alg, name].join()
  const known = new Map(before?.map(row => [idOf(row), row]))
  const others = make()
  const kept = make().map((row, n) => keepChance(known.get(idOf(row)), row, others[n] ?? row))
  const asked = kept.map(row => JSON.stringify({ ...row, group: '', alg: '', name: '' }))
  return kept.filter((_, n) => asked.indexOf(asked[n] ?? '') === n)
}

type Expected = { readonly name: string } & Pick<TokenVector, 'refusal' | 'again' | 'then'>

/** Throws where a table expects other than what the verifier answers: the file never holds what only one of them says. */
const answered = async <Row extends Expected>(
  rows: readonly Row[],
  answer: (row: Row) => Promise<Answer>,
): Promise<readonly (Row & Omit<Answer, 'later'>)[]> => {
  const [all, wrong]: [(Row & Omit<Answer, 'later'>)[], string[]] = [[], []]
  for (const row of rows) {
    const { later, ...rest } = await answer(row)
    const { refusal = rest.refusal, again = row.refusal === undefined ? rest.again : undefined } = row
    const [expected, found] = [
      { refusal, again, later: row.then?.map(step => step.refusal) },
      { refusal: rest.refusal, again: rest.again, later },
    ]
    if (!isDeepStrictEqual(found, expected))
      wrong.push(`${row.name}: ${JSON.stringify(found)}, where the table has ${JSON.stringify(expected)}`)
    all.push({ ...row, ...rest })
  }
  if (wrong.length > 0) throw new Error(`The verifier answers otherwise:\n${wrong.join('\n')}`)
  return all
}

/** Only where the point of a row is how it is read. */
const withoutReading = ({ claims, granted = [], ...row }: Vectors['tokens'][number]): Vectors['tokens'][number] =>
  row.group === 'genuine' ? { ...row, claims, granted } : row

/** `before`: what the file holds, whose signatures stay where nothing else changes: most algorithms never make one twice. */
export const makeVectors = async (before?: Vectors): Promise<Vectors> => {
  const keys = await byAlgorithm(ALGORITHMS, publish)
  const jwks = { keys: Object.values(keys) }
  const setting: Setting = { issuer: ISSUER, audience: AUDIENCE, now: NOW_SECONDS, jwks }
  const materials = await makeMaterials(keys, before)
  const usual = materials.ES256
  const keySets = keySetsOf(keys)
  const tokens = keepRows<Placed>(before?.tokens, () => makeTokenRows(materials))
  const requests = keepRows<RequestVector>(before?.requests, () => requestRows(usual))
  await answered(keySets, row => answerToKeySet(setting, materials[row.alg].genuine.text, row))
  return {
    about: ABOUT,
    ...setting,
    tokens: (await answered(tokens, row => answerToToken(setting, row))).map(withoutReading),
    requests: await answered(requests, row => answerToRequest(setting, row)),
    key_sets: keySets,
  }
}

const ABOUT =
  'Test vectors for verifiers of Mintmark access tokens. Written by testkit/forgeries/vectors.ts, whose first comment explains the members: do not edit.'

/** A line for each row, in ASCII. */
export const formatVectors = ({ tokens, requests, key_sets: keySets, ...head }: Vectors): string => {
  const members = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const lists = Object.entries({ tokens, requests, key_sets: keySets }).map(
    ([name, rows]) => `${JSON.stringify(name)}: ${formatRows(rows)}`,
  )
  return toAscii(`{${[...members, ...lists].join(',\n')}}\n`)
}

export const readVectors = (): Vectors => JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as Vectors

if (import.meta.main)
  writeFileSync(VECTORS_FILE, formatVectors(await makeVectors(existsSync(VECTORS_FILE) ? readVectors() : undefined)))
