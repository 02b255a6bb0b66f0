// Configuration of signing keys: their algorithm, and how long each signs.
import type { SettingReader } from './reader.ts'
import { parseInteger, parseKeyEncryptionKeyText, parseOffOr, parseOneOf } from './values.ts'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../../api/values/algorithms.ts'

const ROTATION_DAYS = 30
const ROTATION_DAYS_MAX = 3650

export type SigningKeysConfig = {
  readonly algorithm: SigningAlgorithm
  /** How long a key signs; null: until an operator rotates. */
  readonly rotationDays: number | null
}

const parseRotation = parseOffOr(parseInteger(1, ROTATION_DAYS_MAX))

export const readSigningKeys = (read: SettingReader): SigningKeysConfig => {
  return {
    algorithm: read.orElse('MINTMARK_SIGNING_ALGORITHM', parseOneOf(SIGNING_ALGORITHMS), 'ES256'),
    rotationDays: read.orElse('MINTMARK_KEY_ROTATION_DAYS', parseRotation, ROTATION_DAYS),
  }
}

const EXPECTED = '32 bytes in base64, such as `openssl rand -base64 32` prints'

export const readKeyEncryptionKey = (read: SettingReader): string | undefined =>
  read.required('MINTMARK_KEY_ENCRYPTION_KEY', parseKeyEncryptionKeyText, EXPECTED)

/** The previous key-encryption key, for re-encryption. */
export const readOldKeyEncryptionKey = (read: SettingReader): string | undefined =>
  read.required('MINTMARK_KEY_ENCRYPTION_KEY_OLD', parseKeyEncryptionKeyText, EXPECTED)
