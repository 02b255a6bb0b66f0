// What the sign-in seals: the tokens of a session, for the store, and what a browser must bring back from the provider. Each has
// a key of its own, derived from the key-encryption key: anybody may begin a sign-in, and has the service seal as often.
import { RENEWED_BEFORE_MS, type SessionTokens } from '../../domain/clients/session.ts'
import { deriveKey, seal, unseal } from '../at-rest/sealed-bytes.ts'

/** A sign-in that began and is not complete. */
export type Pending = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The path to which the browser returns after the sign-in. */
  readonly to: string
  /** The time of its expiry by the clock of the machine, in milliseconds. */
  readonly until: number
}

/** An earlier version of the program, which may run beside this one, seals no `renewFrom`. */
type SealedTokens = Omit<SessionTokens, 'renewFrom'> & Partial<Pick<SessionTokens, 'renewFrom'>>

const PENDING = 'mintmark console sign-in 1'
const TOKENS = 'mintmark console session 1'

/** `open` returns undefined for whatever this key did not seal for this purpose. */
const makeBox = <T>(keyEncryptionKey: Uint8Array, purpose: string) => {
  const key = deriveKey(keyEncryptionKey, purpose)
  return {
    seal: (value: T): Uint8Array => seal(key, Buffer.from(JSON.stringify(value)), purpose),
    open: (sealed: Uint8Array): T | undefined => {
      const bytes = unseal(key, sealed, purpose)
      return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as T) // only `seal` makes what opens
    },
  }
}

export const makeSessionSecrets = (keyEncryptionKey: Uint8Array) => {
  const pending = makeBox<Pending>(keyEncryptionKey, PENDING)
  const tokens = makeBox<SealedTokens>(keyEncryptionKey, TOKENS)
  return {
    tokens: {
      seal: (value: SessionTokens): Uint8Array => tokens.seal(value),
      open: (sealed: Uint8Array): SessionTokens | undefined => {
        const value = tokens.open(sealed)
        return value === undefined ? undefined : { renewFrom: value.expiresAt - RENEWED_BEFORE_MS, ...value }
      },
    },
    /** Seals a pending sign-in as text, for a cookie. */
    pending: {
      seal: (value: Pending): string => Buffer.from(pending.seal(value)).toString('base64url'),
      open: (text: string): Pending | undefined => pending.open(Buffer.from(text, 'base64url')),
    },
  }
}
