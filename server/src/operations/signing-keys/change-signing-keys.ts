// What the acts on signing keys share: a key to follow where none is there to, and how a change is told.
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import type { Ports } from '../../ports/ports.ts'
import type { KeyPorts } from './show-signing-key.ts'
import type { KeyChange } from '../../ports/signing-keys.ts'

/** Does the act, and where it finds no key to follow makes one and does it again. */
export const withSuccessor = async <T>(
  ports: Pick<Ports, 'signingKeyMaker'>,
  act: (candidate: SealedSigningKey | null) => Promise<T | 'no_next'>,
): Promise<T> => {
  const first = await act(null)
  const outcome = first === 'no_next' ? await act(await ports.signingKeyMaker.make()) : first
  if (outcome === 'no_next') throw new Error('A signing key was made to follow, and was not taken.')
  return outcome
}

export const reportChange = (
  { profile }: Pick<KeyPorts, 'profile'>,
  { key, current, longest, unknownUntil }: KeyChange,
): ChangedKey => ({ key, current, unknownUntil, longest: Math.max(longest, profile.lifetimeSeconds) })
