// Signing keys: the keys that sign tokens, from the next one to those that are gone.
import { z } from 'zod'
import { EXAMPLE_KEY, LATER, MADE } from './examples.ts'
import { dryRun, endsCounted } from './dry-run.ts'
import { countOrNull, listing, note, text, textOrNull, time, timeOrNull } from './fields.ts'
import { publicJwk } from './metadata.ts'
import { operation } from './operation.ts'
import { ACCESS } from './values/access.ts'
import { SIGNING_ALGORITHMS } from './values/algorithms.ts'
import { isKid, KID_FORM, KID_PATTERN } from '../packages/verify/src/readers/kid.ts'

const signingKeyRecord = z.object({
  kid: z.string(),
  algorithm: z.enum(SIGNING_ALGORITHMS),
  state: z.enum(['next', 'current', 'retained', 'gone', 'compromised']),
  thumbprint: z.string().describe('RFC 7638.'),
  imported: z.boolean(),
  rotation_requested: z.boolean().describe('It signs as soon as it has been published long enough.'),
  created_at: time,
  signs_from: timeOrNull.describe('Null: it never signed.'),
  signs_until: timeOrNull,
  rotates_at: timeOrNull.describe(
    'Of the key that signs: from when on the next one takes its place by itself, once that is ready; at once where it is requested, or has another algorithm. Null: when an operator rotates.',
  ),
  gone_at: timeOrNull.describe('When it left the key set.'),
  published_before_signing_seconds: z.int().describe('How long a key is published, at least, before it signs.'),
  kept_after_signing_seconds: z.int().describe('How long this one is published after it ceased to sign.'),
  ready_in_seconds: countOrNull.describe('Of a next key: when it may sign, in time that the service runs.'),
  leaves_in_seconds: countOrNull.describe('Of a retained key: when it leaves the key set, in the same time.'),
  public_jwk: publicJwk,
})

const changedKey = signingKeyRecord.extend({
  current_kid: z.string().describe('The key that signs now.'),
  warning: textOrNull.describe('What may break, and until when; null: nothing.'),
})

/** The body of a rotation and of a retirement; it may be left out. */
const rotationBody = z
  .strictObject({
    force: z.boolean().optional().describe('At once, although verifiers may not know the next key yet.'),
    note: note.nullish(),
  })
  .default({})

const KID = EXAMPLE_KEY.kid
const NEXT_KID = 'mS0yQ8r7hWb1vTqkEo3pXc9aLf5dUz2nGjYi6H4KwRA'

const example = {
  kid: KID,
  algorithm: 'ES256',
  state: 'current',
  thumbprint: KID,
  imported: false,
  rotation_requested: false,
  created_at: MADE,
  signs_from: LATER,
  signs_until: null,
  rotates_at: LATER,
  gone_at: null,
  published_before_signing_seconds: 360,
  kept_after_signing_seconds: 360,
  ready_in_seconds: null,
  leaves_in_seconds: null,
  public_jwk: EXAMPLE_KEY,
}

const changed = { ...example, current_kid: KID, warning: null }

export const listSigningKeys = operation({
  route: 'GET /api/v1/keys',
  id: 'listSigningKeys',
  summary: 'List signing keys',
  access: ACCESS.readSigningKeys,
  ...listing(signingKeyRecord, example, {}),
})

export const showSigningKey = operation({
  route: 'GET /api/v1/keys/{kid}',
  id: 'showSigningKey',
  summary: 'Show a signing key',
  access: ACCESS.readSigningKeys,
  answers: { 200: signingKeyRecord },
  example: { answer: example },
})

export const rotateSigningKey = operation({
  route: 'POST /api/v1/keys/rotate',
  id: 'rotateSigningKey',
  summary: 'Let the next signing key sign',
  access: ACCESS.writeKeys,
  refusals: [409],
  parameters: ['Idempotency-Key'],
  body: rotationBody,
  answers: { 200: changedKey, 202: changedKey },
  example: { body: { note: 'quarterly' }, answer: changed },
})

export const importSigningKey = operation({
  route: 'POST /api/v1/keys/import',
  id: 'importSigningKey',
  summary: 'Take a private key from outside',
  access: ACCESS.writeKeys,
  body: z.strictObject({
    private_key: z
      .union([z.string(), z.looseObject({ kty: z.string() })], { error: 'is neither PEM nor a JWK' })
      .describe('PKCS#8 in PEM without a passphrase, or a JWK.'),
    kid: text(isKid, KID_FORM, { pattern: KID_PATTERN })
      .nullish()
      .describe('Its name; absent: the one in the JWK, or else the thumbprint.'),
    note: note.nullish(),
  }),
  // An RSA key of 4096 bits as a JWK takes some 4,000.
  bodyBytesMax: 16_384,
  answers: { 201: changedKey },
  example: {
    body: { private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n', kid: '2026-01' },
    answer: {
      ...changed,
      state: 'next',
      signs_from: null,
      ready_in_seconds: 360,
      kid: '2026-01',
      imported: true,
      public_jwk: { ...EXAMPLE_KEY, kid: '2026-01' },
    },
  },
})

export const retireSigningKey = operation({
  route: 'POST /api/v1/keys/{kid}/retire',
  id: 'retireSigningKey',
  summary: 'Take a signing key out of signing',
  access: ACCESS.writeKeys,
  body: rotationBody,
  answers: { 200: changedKey, 202: changedKey },
  example: {
    body: { note: 'its hardware goes' },
    answer: { ...changed, state: 'retained', signs_until: LATER, leaves_in_seconds: 360, current_kid: NEXT_KID },
  },
})

export const compromiseSigningKey = operation({
  route: 'POST /api/v1/keys/{kid}/compromise',
  id: 'compromiseSigningKey',
  summary: 'End a signing key and every token that it signed',
  access: ACCESS.writeKeys,
  body: z.strictObject({ note: note.nullish(), dry_run: dryRun }).default({}),
  answers: { 200: z.union([changedKey, endsCounted]) },
  example: {
    body: { note: 'seen in a log' },
    answer: { ...changed, state: 'compromised', signs_until: LATER, gone_at: LATER, current_kid: NEXT_KID },
  },
})
