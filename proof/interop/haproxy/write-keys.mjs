// Writes the public keys of Mintmark as PEM, for HAProxy: node write-keys.mjs https://auth.example.com /etc/haproxy/keys
// The current key, the next one, and the one before: three files always, in which a key may stand again.
import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'

const [issuer, folder] = process.argv.slice(2)
const response = await fetch(`${issuer}/.well-known/jwks.json`)
if (!response.ok) throw new Error(`${issuer} answered ${response.status}`)
const keys = (await response.json()).keys.filter(({ alg }) => alg === 'ES256')
if (keys.length < 1 || keys.length > 3) throw new Error(`Expected one to three ES256 keys, found ${keys.length}`)
for (const n of [1, 2, 3]) {
  const pem = createPublicKey({ key: keys[n - 1] ?? keys[0], format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  writeFileSync(`${folder}/${n}.pem`, pem)
}
