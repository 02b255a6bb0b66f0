// The queue of secrets that are proved against other servers' hashes: shared, bounded, fair, and in time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeForeignHashLane, PROOFS_MAX, PROOFS_OF_ONE_MAX } from '../../src/keys/foreign-hash-lane.ts'
import { pbkdf2Hash } from '../support/imports.ts'

const SECRET = 'a secret of another server'
const HASH = pbkdf2Hash(SECRET, 10)
const IN_TIME = Number.POSITIVE_INFINITY

const proofOf = (credentialId: string, ...secrets: readonly string[]) => ({
  credentialId,
  foreignHash: HASH,
  secrets,
  until: IN_TIME,
})

test('the secret that the hash is of is told, whichever form it was sent in; a wrong one is wrong', async () => {
  const prove = makeForeignHashLane()
  assert.deepEqual(await prove(proofOf('a', SECRET)), { secret: SECRET })
  assert.deepEqual(await prove(proofOf('a', 'another', SECRET)), { secret: SECRET })
  assert.equal(await prove(proofOf('a', 'another')), 'wrong')
  assert.equal(await prove(proofOf('a')), 'wrong')
})

test('PBKDF2 with SHA-512 and bcrypt are proved too, and what is no hash is opened by nothing', async () => {
  const prove = makeForeignHashLane()
  const hashes = {
    [pbkdf2Hash(SECRET, 3, 'sha512')]: { secret: SECRET },
    $2b$04$abcdefghijklmnopqrstuuMFdJu9yVgmagVAIC24fOZkaFqd3s9JC: 'wrong',
    '$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA': 'wrong',
    '': 'wrong',
  }
  for (const [foreignHash, expected] of Object.entries(hashes)) {
    assert.deepEqual(await prove({ ...proofOf('a', SECRET), foreignHash }), expected)
  }
})

test('the same secret at once is proved once, and answers all who ask', async () => {
  const prove = makeForeignHashLane()
  const asked = Array.from({ length: 1000 }, () => prove(proofOf('a', SECRET)))
  assert.equal(new Set(asked).size, 1)
  assert.deepEqual(await asked[999], { secret: SECRET })
})

test('different secrets of one credential wait up to a bound, and keep no other credential out', async () => {
  const prove = makeForeignHashLane()
  const guesses = Array.from({ length: 10 }, (_, n) => prove(proofOf('attacked', `guess ${n}`)))
  const other = prove(proofOf('other', SECRET))
  const answers = await Promise.all(guesses)
  assert.equal(answers.filter(answer => answer === 'wrong').length, PROOFS_OF_ONE_MAX)
  assert.equal(answers.filter(answer => answer === 'busy').length, 10 - PROOFS_OF_ONE_MAX)
  assert.deepEqual(await other, { secret: SECRET })
  assert.deepEqual(await prove(proofOf('attacked', SECRET)), { secret: SECRET })
})

test('all together wait up to a bound', async () => {
  const prove = makeForeignHashLane()
  const answers = await Promise.all(Array.from({ length: PROOFS_MAX + 3 }, (_, n) => prove(proofOf(`${n}`, SECRET))))
  assert.deepEqual(
    answers.map(answer => answer === 'busy'),
    answers.map((_, n) => n >= PROOFS_MAX),
  )
})

test('what has not begun in time is not begun', async () => {
  let now = 1000
  const prove = makeForeignHashLane(() => now)
  const late = prove({ ...proofOf('a', SECRET), until: 1000 })
  const inTime = prove({ ...proofOf('b', SECRET), until: 1001 })
  assert.equal(await late, 'busy')
  assert.deepEqual(await inTime, { secret: SECRET })
  now = 1001
  assert.equal(await prove({ ...proofOf('b', SECRET), until: 1001 }), 'busy')
})
