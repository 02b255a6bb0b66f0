// The thread on which secrets are proved against the hashes of other servers: each takes up to a second of a core.
import { pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { parsePbkdf2 } from '../../domain/import/foreign-hash.ts'
import { opensBcrypt } from './bcrypt.ts'

export type ProofMessage = { readonly secrets: readonly string[]; readonly foreignHash: string }

/** Which of the secrets the hash is of; -1 for none. */
export type ProofReply = number

const opens =
  (foreignHash: string) =>
  (secret: string): boolean => {
    const pbkdf2 = parsePbkdf2(foreignHash)
    if (pbkdf2 === undefined) return opensBcrypt(secret, foreignHash)
    const { digest, iterations, length, salt, key } = pbkdf2
    const derived = pbkdf2Sync(secret, Buffer.from(salt, 'base64'), iterations, length, digest)
    return timingSafeEqual(derived, Buffer.from(key, 'base64'))
  }

parentPort?.on('message', ({ secrets, foreignHash }: ProofMessage) => {
  parentPort?.postMessage(secrets.findIndex(opens(foreignHash)) satisfies ProofReply)
})
