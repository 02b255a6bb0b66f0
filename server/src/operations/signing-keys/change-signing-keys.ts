// The acts on signing keys: which one signs, which are published, and the emergency end of one.
import { isKid } from '../../../../packages/verify/src/readers/kid.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import { isExisting, refuseRepeat } from '../../domain/idempotency.ts'
import type { ChangedKey } from '../../domain/keys/key-record.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import type { KeyChange } from '../../ports/signing-keys.ts'
import { refuseUnknownKey } from '../authentication/authenticate-administrator.ts'
import { type KeyPorts, refuseUnknownSigningKey, shownBeside } from './read-signing-keys.ts'

type ChangePorts = KeyPorts & Pick<Ports, 'signingKeyMaker'>

/** Does the act, and where it finds no key to follow makes one and does it again. */
const withSuccessor = async <T>(
  ports: Pick<Ports, 'signingKeyMaker'>,
  act: (candidate: SealedSigningKey | null) => Promise<T | 'no_next'>,
): Promise<T> => {
  const first = await act(null)
  const outcome = first === 'no_next' ? await act(await ports.signingKeyMaker.make()) : first
  if (outcome === 'no_next') throw new Error('A signing key was made to follow, and was not taken.')
  return outcome
}

const changedBy = (
  { profile }: Pick<KeyPorts, 'profile'>,
  { key, current, longest, unknownUntil }: KeyChange,
): ChangedKey => ({ key, current, unknownUntil, ...shownBeside(longest, profile) })

export type KeyRotation = {
  /** Whether the key signs at once, although verifiers may not know it. */
  readonly force: boolean
  readonly note: string | null
}

/** Lets the next signing key sign: now where every verifier has it or a caller insists, else as soon as they have. */
export const rotateSigningKey = async (
  ports: ChangePorts,
  origin: Origin,
  { force, note }: KeyRotation,
): Promise<OrRefusal<ChangedKey>> => {
  const act = actBy(origin, 'signing_key.rotate', note)
  const rotated = await withSuccessor(ports, candidate => ports.signingKeys.rotate({ candidate, force }, act))
  return isExisting(rotated) ? refuseRepeat(rotated) : changedBy(ports, rotated)
}

/**
 * Takes a signing key out of signing for good. What it signed lives on, and the key stays published for it. The current
 * key is followed as by a rotation; a next one leaves the key set; any other stays as it is.
 */
export const retireSigningKey = async (
  ports: ChangePorts,
  origin: Origin,
  kid: string,
  { force, note }: KeyRotation,
): Promise<OrRefusal<ChangedKey>> => {
  if (!isKid(kid)) return refuseUnknownSigningKey(kid)
  const act = actBy(origin, 'signing_key.retire', note)
  const retired = await withSuccessor(ports, candidate => ports.signingKeys.retire({ kid, candidate, force }, act))
  return retired === 'unknown' ? refuseUnknownSigningKey(kid) : changedBy(ports, retired)
}

type KeyCompromise = {
  readonly note: string | null
  /** Counts what would end, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * The emergency end of a signing key: out of the key set, and every token that it signed ended, both from the
 * acknowledgement on. Where it was the current one the next signs at once.
 */
export const compromiseSigningKey = async (
  ports: ChangePorts & Pick<Ports, 'randomness' | 'dryRuns'>,
  origin: Origin,
  kid: string,
  { note, dryRun }: KeyCompromise,
): Promise<OrRefusal<ChangedKey | Counted>> => {
  if (!isKid(kid)) return refuseUnknownSigningKey(kid)
  if (dryRun) {
    const ends = await ports.dryRuns.compromiseKey(kid)
    return ends === 'unknown' ? refuseUnknownSigningKey(kid) : { ends }
  }
  const act = actBy(origin, 'signing_key.compromise', note)
  const revocationId = ports.randomness.uuid()
  const compromised = await withSuccessor(ports, candidate =>
    ports.signingKeys.compromise({ kid, candidate, revocationId }, act),
  )
  return compromised === 'unknown' ? refuseUnknownSigningKey(kid) : changedBy(ports, compromised)
}

type KeyImport = {
  /** PKCS#8 in PEM, or a JWK. A secret: in no log, no audit and no answer. */
  readonly privateKey: string | object
  /** Null for the `kid` of the JWK or, without one, its thumbprint. */
  readonly kid: string | null
  readonly note: string | null
}

/** Takes a private key from outside as the next signing key, under the name that verifiers know it by. */
export const importSigningKey = async (
  ports: ChangePorts,
  origin: Origin,
  { privateKey, kid, note }: KeyImport,
): Promise<OrRefusal<ChangedKey>> => {
  const key = ports.signingKeyMaker.read(privateKey, kid)
  if ('wrong' in key) return refuse('invalid_request', `${key.wrong}.`)
  const imported = await ports.signingKeys.import(key, actBy(origin, 'signing_key.import', note))
  if (imported === 'known') return refuse('already_exists', 'This key, or another of its kid, is or was here already.')
  if (imported === 'caller_ended') return refuseUnknownKey()
  return isExisting(imported) ? refuseRepeat(imported) : changedBy(ports, imported)
}
