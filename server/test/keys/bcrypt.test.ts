// bcrypt against hashes that libxcrypt 4.4 made with crypt(3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opensBcrypt } from '../../src/keys/clients/bcrypt.ts'

const HASHES: Readonly<Record<string, string>> = {
  '': '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy',
  a: '$2b$04$abcdefghijklmnopqrstuuMFdJu9yVgmagVAIC24fOZkaFqd3s9JC',
  'correct horse battery staple': '$2y$06$XXXXXXXXXXXXXXXXXXXXXOBlYiP7vkONL7woZqrZbDBOmYEjMXZI6',
  Q7eVnXq2sJ8pLr4wTz9dBm5y: '$2b$07$zVHmKQtGGQob.b/Nc7l9Nu7X3sqQctj6Y0MG3VxKe.q./clWMnw8O',
  'orders-service-secret-2019': '$2b$10$N9qo8uLOickgx2ZMRZoMyekIwqXL62qEl9V/2sSfHDsc3a3r7/WEi',
  'ünïcödé ☃ pässwörd': '$2a$05$/OK.fbVrR/bpIqNJ5ianF.fdyGDqqr0iDBqNFgf3k7VgKAmEVey0.',
  ['y'.repeat(100)]: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.4eQhVFG83RE7Ujg6.w.JlWjHZKEWAHC',
}

for (const [secret, hash] of Object.entries(HASHES)) {
  test(`${hash.slice(0, 12)}… is opened by the secret that it was made of, and by no other`, () => {
    assert.equal(opensBcrypt(secret, hash), true)
    const wrong = [secret.slice(1), `x${secret}`, secret.toUpperCase()].filter(other => other !== secret)
    // Beyond 72 bytes nothing is read.
    const longer = secret.length < 72 ? [`${secret}1`] : []
    for (const other of [...wrong, ...longer]) {
      if (other.slice(0, 72) !== secret.slice(0, 72)) assert.equal(opensBcrypt(other, hash), false, other)
    }
  })
}

test('72 bytes of a secret count, and a NUL among them does', () => {
  const ofNul = '$2b$04$abcdefghijklmnopqrstuusjHI0zQHpOe3SFDK1IriYv6N79Gzr32'
  const opening = ['a\0b', 'a', 'a\0', 'a\0b\0'].map(secret => opensBcrypt(secret, ofNul))
  assert.deepEqual(opening, [true, false, false, false])
  const of72 = '$2b$04$abcdefghijklmnopqrstuuwurWIdVVT4m5pTArtqnFNM69nySdHj.'
  const lengths = [71, 72, 73, 100].map(length => opensBcrypt('y'.repeat(length), of72))
  assert.deepEqual(lengths, [false, true, true, true])
})

test('one hash is not another: a changed cost, salt or end opens nothing', () => {
  const hash = HASHES['a'] ?? ''
  const changed = [hash.replace('$04$', '$05$'), hash.replace('abc', 'abd'), hash.replace(/.C$/, 'KC')]
  assert.deepEqual(
    changed.map(other => opensBcrypt('a', other)),
    [false, false, false],
  )
})

test('what is no bcrypt hash is opened by nothing', () => {
  const hash = HASHES['a'] ?? ''
  for (const text of [
    '',
    'a',
    hash.slice(1),
    `${hash}a`,
    hash.replace('2b', '2x'),
    hash.replace('J', '!'),
    hash.replace('04', '03'),
    hash.replace('04', '32'),
  ]) {
    assert.equal(opensBcrypt('a', text), false, text)
  }
})
