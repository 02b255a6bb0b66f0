// Makes signing keys of the configured algorithm, and takes those from outside; gives either only sealed.
import type { SigningAlgorithm } from '../../../../api/values/algorithms.ts'
import type { SigningKeyMaker } from '../../ports/signing-keys.ts'
import { readPrivateKey } from '../at-rest/read-private-key.ts'
import { generateSigningKey, sealSigningKey } from './signing-keys.ts'

export const makeSigningKeyMaker = (keyEncryptionKey: Uint8Array, alg: SigningAlgorithm): SigningKeyMaker => ({
  make: () => generateSigningKey(keyEncryptionKey, alg),
  read: (given, kid) => {
    const read = readPrivateKey(given, kid, alg)
    if ('wrong' in read) return read
    return sealSigningKey(keyEncryptionKey, read.privateKey, { alg, kid: read.kid ?? undefined })
  },
})
