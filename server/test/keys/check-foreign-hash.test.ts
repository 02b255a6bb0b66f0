// Secrets that are verified against other servers' hashes: one verification for all who ask the same, bounded and in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeForeignHashCheck } from '../../src/keys/clients/check-foreign-hash.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { pbkdf2Hash } from '../../../testkit/callers/imports.ts'

const WAITERS_MAX = 64
const VERIFICATIONS_OF_ONE_MAX = 4
const VERIFICATIONS_MAX = 64
const SECRET = 'a secret of another server'
const HASH = pbkdf2Hash(SECRET, 10)
const IN_TIME = Number.POSITIVE_INFINITY

const proofOf = (credentialId: string, ...secrets: readonly string[]) => ({
  credentialId,
  source: '192.0.2.1',
  foreignHash: HASH,
  secrets,
  until: IN_TIME,
})

test('the secret that the hash is of is recognized, whichever form it was sent in; a wrong one is wrong', async () => {
  const verifySecret = makeForeignHashCheck({ timing: TIMING })
  assert.deepEqual(await verifySecret(proofOf('a', SECRET)), { secret: SECRET })
  assert.deepEqual(await verifySecret(proofOf('a', 'another', SECRET)), { secret: SECRET })
  assert.equal(await verifySecret(proofOf('a', 'another')), 'wrong')
  assert.equal(await verifySecret(proofOf('a')), 'wrong')
})

test('PBKDF2 with SHA-512 and bcrypt are proved too, and what is no hash is opened by nothing', async () => {
  const verifySecret = makeForeignHashCheck({ timing: TIMING })
  const hashes = {
    [pbkdf2Hash(SECRET, 3, 'sha512')]: { secret: SECRET },
    $2b$04$abcdefghijklmnopqrstuuMFdJu9yVgmagVAIC24fOZkaFqd3s9JC: 'wrong',
    '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA': 'wrong',
    '': 'wrong',
  }
  for (const [foreignHash, expected] of Object.entries(hashes)) {
    assert.deepEqual(await verifySecret({ ...proofOf('a', SECRET), foreignHash }), expected)
  }
})

test('the same secret at once is verified once for as many as may wait for it; the next one is busy', async () => {
  let verifications = 0
  const held = Promise.withResolvers<number>()
  const verifySecret = makeForeignHashCheck({
    timing: TIMING,
    verify: () => {
      verifications += 1
      return held.promise
    },
  })
  const asked = Array.from({ length: WAITERS_MAX }, (_, n) =>
    verifySecret({ ...proofOf('a', SECRET), source: `192.0.2.${n}` }),
  )
  assert.equal(await verifySecret(proofOf('a', SECRET)), 'busy')
  held.resolve(0)
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, { secret: SECRET })
  assert.equal(verifications, 1)
  assert.deepEqual(await verifySecret(proofOf('a', SECRET)), { secret: SECRET })
})

test('who waits no longer makes room for another, whose time then counts for the verification', async () => {
  let now = 0
  const held = Promise.withResolvers<number>()
  const messages: (readonly string[])[] = []
  const verify = ({ secrets }: { readonly secrets: readonly string[] }): Promise<number> => {
    messages.push(secrets)
    return held.promise
  }
  const verifySecret = makeForeignHashCheck({ timing: TIMING, now: () => now, verify })
  void verifySecret(proofOf('other', SECRET))
  const early = Array.from({ length: WAITERS_MAX }, () => verifySecret({ ...proofOf('a', SECRET), until: 10 }))
  assert.equal(await verifySecret({ ...proofOf('a', SECRET), until: 20 }), 'busy')
  now = 10
  const later = verifySecret({ ...proofOf('b', SECRET), until: 20 })
  assert.deepEqual(new Set(await Promise.all(early)), new Set(['busy']), 'none of them waits any more')
  const joined = verifySecret({ ...proofOf('b', SECRET), until: 40 })
  now = 30
  held.resolve(0)
  assert.deepEqual([await later, await joined], [{ secret: SECRET }, { secret: SECRET }])
  assert.deepEqual(messages, [[SECRET], [SECRET]])
})

test('a verification that fails is unavailable to all who wait for it, and the next one is made', async () => {
  let isBroken = true
  const verifySecret = makeForeignHashCheck({
    timing: TIMING,
    verify: () => (isBroken ? Promise.reject(new Error('the thread ended')) : Promise.resolve(0)),
  })
  const asked = [verifySecret(proofOf('a', SECRET)), verifySecret(proofOf('a', SECRET))]
  for (const answer of asked) await assert.rejects(answer, Unavailable)
  isBroken = false
  assert.deepEqual(await verifySecret(proofOf('a', SECRET)), { secret: SECRET })
})

test('different secrets of one credential wait up to a bound, and keep no other credential out', async () => {
  const verifySecret = makeForeignHashCheck({ timing: TIMING })
  const guesses = Array.from({ length: 10 }, (_, n) => verifySecret(proofOf('attacked', `guess ${n}`)))
  const other = verifySecret(proofOf('other', SECRET))
  const answers = await Promise.all(guesses)
  assert.equal(answers.filter(answer => answer === 'wrong').length, VERIFICATIONS_OF_ONE_MAX)
  assert.equal(answers.filter(answer => answer === 'busy').length, 10 - VERIFICATIONS_OF_ONE_MAX)
  assert.deepEqual(await other, { secret: SECRET })
  assert.deepEqual(await verifySecret(proofOf('attacked', SECRET)), { secret: SECRET })
})

test('all together wait up to a bound', async () => {
  const verifySecret = makeForeignHashCheck({ timing: TIMING })
  const answers = await Promise.all(
    Array.from({ length: VERIFICATIONS_MAX + 3 }, (_, n) => verifySecret(proofOf(`${n}`, SECRET))),
  )
  assert.deepEqual(
    answers.map(answer => answer === 'busy'),
    answers.map((_, n) => n >= VERIFICATIONS_MAX),
  )
})

test('what has not begun in time is not begun', async () => {
  let now = 1000
  const verifySecret = makeForeignHashCheck({ timing: TIMING, now: () => now })
  const late = verifySecret({ ...proofOf('a', SECRET), until: 1000 })
  const inTime = verifySecret({ ...proofOf('b', SECRET), until: 1001 })
  assert.equal(await late, 'busy')
  assert.deepEqual(await inTime, { secret: SECRET })
  now = 1001
  assert.equal(await verifySecret({ ...proofOf('b', SECRET), until: 1001 }), 'busy')
})
