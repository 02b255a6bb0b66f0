// Writes the public key that Mintmark signs with as PEM: node write-key.mjs https://auth.example.com > mintmark.pem
import { createPublicKey } from 'node:crypto'

const response = await fetch(`${process.argv[2]}/.well-known/jwks.json`)
const { keys } = await response.json()
const [key] = keys
if (!response.ok || keys.length !== 1 || key.alg !== 'ES256') throw new Error('Expected a key set of one ES256 key')
process.stdout.write(createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }))
