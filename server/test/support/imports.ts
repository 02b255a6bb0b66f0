// Agents as an import hands them to the store, and hashes as other servers make them.
import { pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto'
import { BLANK_SETTINGS } from '../../src/domain/change-agent.ts'
import type { ImportedAgent } from '../../src/ports/imports.ts'

type Wish = Partial<Omit<ImportedAgent, 'credential'>> & { readonly credential?: Partial<ImportedAgent['credential']> }

/** Of a secret whose text nobody has seen, unless the wish says otherwise. */
export const importedAgent = ({ credential, ...wish }: Wish = {}): ImportedAgent => {
  const { name: _none, ...blank } = BLANK_SETTINGS
  const id = randomUUID()
  return {
    ...blank,
    id,
    clientId: `imported-${id}`,
    names: [`imported ${id}`],
    scopes: ['db:*'],
    resources: ['*'],
    isDisabled: false,
    ...wish,
    credential: {
      id: randomUUID(),
      secretHash: '',
      isImported: true,
      foreignHash: pbkdf2Hash('a secret of another server'),
      expiresAt: null,
      ...credential,
    },
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** As Ory Hydra writes it. */
export const pbkdf2Hash = (secret: string, iterations = 25_000, digest: 'sha256' | 'sha512' = 'sha256'): string => {
  const [salt, length] = [randomBytes(16), 32]
  const key = pbkdf2Sync(secret, salt, iterations, length, digest)
  return `$pbkdf2-${digest}$i=${iterations},l=${length}$${unpadded(salt)}$${unpadded(key)}`
}
