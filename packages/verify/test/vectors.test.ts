// The tables for verifiers in other languages: testkit/forgeries/vectors.json and testkit/refusals/refusals.json.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { answerToKeySet, answerToRequest, answerToToken } from '../../../testkit/forgeries/vector-answers.ts'
import { formatVectors, makeVectors, readVectors, VECTORS_FILE } from '../../../testkit/forgeries/vectors.ts'
import { formatRefusals, REFUSAL_CASES, REFUSALS_FILE } from '../../../testkit/refusals/refusals.ts'
import { hasPrivateMember } from '../src/readers/jwk.ts'
import { PROOF_ALGORITHMS } from '../src/readers/proof-claims.ts'
import { REFUSAL_CODES, type RefusalCode } from '../src/refusals.ts'
import { ALGORITHMS } from '../src/tokens/key-set.ts'

const WRITE = 'Write vectors.json again: node testkit/forgeries/vectors.ts'
const NAME_CHARACTERS_MAX = 120
const LINE_CHARACTERS_SHOWN = 200

const text = readFileSync(VECTORS_FILE, 'utf8')
const vectors = readVectors()
const { tokens, requests, key_sets: keySets, jwks } = vectors

suite('vectors.json is what its tables make, and what other languages can read', () => {
  test('vectors.ts would write the file as it is', async () => {
    const made = formatVectors(await makeVectors(vectors))
    const [written, lines] = [new Set(text.split('\n')), made.split('\n')]
    const others = lines.filter(line => !written.has(line)).map(line => line.slice(0, LINE_CHARACTERS_SHOWN))
    assert.deepEqual(others, [], WRITE)
    assert.ok(made === text, WRITE)
  })

  test('with all signatures made anew the answers are those of the tables', async () => {
    // It throws where an answer is another. By chance two forgeries of a signature are one, and then there is one row fewer.
    await assert.doesNotReject(makeVectors())
  })

  test('what comes after a proof is another text', () => {
    const later = tokens.flatMap(({ dpop, then = [] }) => then.filter(step => step.dpop.proof === dpop?.proof))
    assert.deepEqual(later, [])
  })

  test('each algorithm of tokens and of proofs has an accepted row', () => {
    const accepted = tokens.filter(({ refusal }) => refusal === null)
    assert.deepEqual([...new Set(accepted.map(({ alg }) => alg))], ALGORITHMS)
    const names = accepted.map(({ name }) => name)
    assert.deepEqual(
      PROOF_ALGORITHMS.filter(alg => !names.includes(`a proof by ${alg}`)),
      [],
    )
  })

  test('the published keys are public', () => {
    for (const jwk of jwks.keys) assert.equal(hasPrivateMember(jwk), false)
  })

  test('names are short, distinct and well-formed', () => {
    const names = [
      ...tokens.map(({ group, alg, name }) => [name, `${group}, ${alg}, ${name}`]),
      ...requests.map(({ name }) => [name, `request, ${name}`]),
      ...keySets.map(({ alg, name }) => [name, `key set, ${alg}, ${name}`]),
    ]
    const wrong = names.filter(([name = '']) => name.length > NAME_CHARACTERS_MAX || !name.isWellFormed())
    assert.deepEqual(wrong, [])
    const whole = names.map(([, name]) => name)
    assert.deepEqual(whole, [...new Set(whole)])
  })

  test('the file is ASCII', () => {
    assert.match(text, /^[\n\u0020-\u007e]*$/)
  })
})

/** As JSON holds it: there -0 is 0. */
const plain = (answer: object): unknown => JSON.parse(JSON.stringify(answer))

suite('@mintmark/verify answers what vectors.json says', () => {
  for (const row of tokens) {
    const { group, alg, name, refusal, again, then, challenge_scheme: scheme, claims, granted } = row
    test(`${group}, ${alg}, ${name}`, async () => {
      const answer = await answerToToken(vectors, row)
      const read = claims === undefined ? { claims: undefined, granted: undefined } : {}
      const written = { refusal, again, later: then?.map(step => step.refusal), challenge_scheme: scheme }
      assert.deepEqual(plain({ ...answer, ...read }), plain({ ...written, claims, granted }), WRITE)
      if (group === 'weakness') assert.notEqual(refusal, null)
      if (group === 'genuine') assert.equal(refusal, null)
    })
  }
  for (const row of requests) {
    test(`request, ${row.name}`, async () => {
      const { refusal, challenge_scheme: scheme } = row
      assert.deepEqual(plain(await answerToRequest(vectors, row)), plain({ refusal, challenge_scheme: scheme }), WRITE)
    })
  }
  for (const row of keySets) {
    test(`key set, ${row.alg}, ${row.name}`, async () => {
      const genuine = tokens.find(({ alg }) => alg === row.alg)?.token ?? ''
      assert.equal((await answerToKeySet(vectors, genuine, row)).refusal, row.refusal, WRITE)
    })
  }
})

/** Refusals that no text decides, by what does. */
const NOT_BY_TEXT: Readonly<Partial<Record<RefusalCode, string>>> = {
  revoked: 'the feed',
  stale: 'the feed',
  inactive: 'introspection',
  introspection_unavailable: 'introspection',
  key_pending: 'the tokens before',
  proofs_unavailable: 'the store of proofs',
  fault: 'a fault of the verifier',
  closed: 'the program',
  misuse: 'the program',
}

test('every refusal that a text decides has a row', () => {
  const later = tokens.flatMap(({ again, then = [] }) => [again, ...then.map(({ refusal }) => refusal)])
  const found = new Set([...[...tokens, ...requests, ...keySets].map(({ refusal }) => refusal), ...later])
  assert.deepEqual(REFUSAL_CODES.filter(code => !found.has(code)).toSorted(), Object.keys(NOT_BY_TEXT).toSorted())
})

test('refusals.json is the table; `node testkit/refusals/refusals.ts` writes it', () => {
  assert.equal(readFileSync(REFUSALS_FILE, 'utf8'), formatRefusals())
})

test('the table of refusals has each code, and no answer holds a character that a header cannot', () => {
  assert.deepEqual([...new Set(REFUSAL_CASES.map(({ code }) => code))], REFUSAL_CODES)
  for (const { challenge } of REFUSAL_CASES) assert.match(challenge ?? '', /^[\u0020-\u007e]*$/)
})
