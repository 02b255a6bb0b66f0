// The record of a signing key for the API and the command line, without its private half.
import {
  KEY_SET_MAX_AGE_SECONDS,
  keptSeconds,
  type KeyRecord,
  PUBLISHED_SECONDS_MIN,
  rotationTime,
} from './key-life.ts'
import { formatTime, formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'

/** A key, the longest token lifetime in use, in seconds, and how long a key signs. */
export type ShownKey = { readonly key: KeyRecord; readonly longest: number; readonly rotationDays: number | null }

/** The result of an act on a key, and the key that signs now. */
export type ChangedKey = ShownKey & {
  readonly current: KeyRecord
  readonly unknownUntil: Milliseconds | null
}

/** Remaining seconds of running time. */
const secondsLeft = (wanted: number, steadyMs: number): number => Math.max(0, Math.ceil(wanted - steadyMs / 1000))

export const keyRecord = ({ key, longest, rotationDays }: ShownKey) => {
  const { kid, alg } = key.publicJwk
  const kept = keptSeconds(key, longest)
  return {
    kid,
    algorithm: alg,
    state: key.state,
    thumbprint: key.thumbprint,
    imported: key.imported,
    rotation_requested: key.wanted,
    created_at: formatTime(key.createdAt),
    signs_from: formatTimeOrNull(key.signsFrom),
    signs_until: formatTimeOrNull(key.signsUntil),
    rotates_at: key.state === 'current' ? formatTimeOrNull(rotationTime(key, { rotationDays })) : null,
    gone_at: formatTimeOrNull(key.goneAt),
    published_before_signing_seconds: PUBLISHED_SECONDS_MIN,
    kept_after_signing_seconds: kept,
    ready_in_seconds: key.state === 'next' ? secondsLeft(PUBLISHED_SECONDS_MIN, key.steadyMs) : null,
    leaves_in_seconds: key.state === 'retained' ? secondsLeft(kept, key.steadyMs) : null,
    public_jwk: key.publicJwk,
  }
}

const warningOf = ({ current, unknownUntil }: ChangedKey): string | null =>
  unknownUntil === null
    ? null
    : `The key ${current.publicJwk.kid} signs before it was published for ${PUBLISHED_SECONDS_MIN} s. ` +
      `Until ${formatTime(unknownUntil)} a verifier that keeps the key set for ${KEY_SET_MAX_AGE_SECONDS} s, as it may, ` +
      `can refuse its tokens. Introspection knows them at once.`

export const keyChangeRecord = (changed: ChangedKey) => ({
  ...keyRecord(changed),
  current_kid: changed.current.publicJwk.kid,
  warning: warningOf(changed),
})
