// A signing key as the API shows it: everything but its private half.
import { z } from 'zod'
import { type ChangedKey, keyChangeRecord, keyRecord, type ShownKey } from '../../domain/keys/key-record.ts'
import { SIGNING_ALGORITHMS } from '../../../../api/values/algorithms.ts'
import { NOTE_MEANING, timeOrNull } from './json-members.ts'
import { publicJwk } from '../../../../api/metadata.ts'
import { pageOf } from './token-record.ts'

const secondsOrNull = z.int().nullable()

export const signingKeyRecord = z.object({
  kid: z.string(),
  algorithm: z.enum(SIGNING_ALGORITHMS),
  state: z.enum(['next', 'current', 'retained', 'gone', 'compromised']),
  thumbprint: z.string().describe('RFC 7638.'),
  imported: z.boolean(),
  rotation_requested: z.boolean().describe('It signs as soon as it has been published long enough.'),
  created_at: z.string().meta({ format: 'date-time' }),
  signs_from: timeOrNull.describe('Null: it never signed.'),
  signs_until: timeOrNull,
  gone_at: timeOrNull.describe('When it left the key set.'),
  published_before_signing_seconds: z.int().describe('So long a key is published, at least, before it signs.'),
  kept_after_signing_seconds: z.int().describe('So long this one is published after it ceased to sign.'),
  ready_in_seconds: secondsOrNull.describe('Of a next key: when it may sign, in time that the service runs.'),
  leaves_in_seconds: secondsOrNull.describe('Of a retained key: when it leaves the key set, in the same time.'),
  public_jwk: publicJwk,
})

export const signingKeysAnswer = pageOf(signingKeyRecord)

export const changedKeyAnswer = signingKeyRecord.extend({
  current_kid: z.string().describe('The key that signs now.'),
  warning: z.string().nullable().describe('What may break, and until when; null: nothing.'),
})

export const formatSigningKey: (shown: ShownKey) => z.output<typeof signingKeyRecord> = keyRecord

export const formatChangedKey: (changed: ChangedKey) => z.output<typeof changedKeyAnswer> = keyChangeRecord

const note = z.string().nullish().describe(NOTE_MEANING)

/** The body of a rotation and of a retirement; it may be left out. */
export const rotationBody = z
  .strictObject({
    force: z.boolean().optional().describe('At once, although verifiers may not know the next key yet.'),
    note,
  })
  .default({})

export const compromiseBody = z.strictObject({ note }).default({})

export const importBody = z.strictObject({
  private_key: z
    .union([z.string(), z.looseObject({ kty: z.string() })], { error: 'is neither PEM nor a JWK' })
    .describe('PKCS#8 in PEM without a passphrase, or a JWK.'),
  kid: z.string().nullish().describe('Its name; absent: the one in the JWK, or else the thumbprint.'),
  note,
})
