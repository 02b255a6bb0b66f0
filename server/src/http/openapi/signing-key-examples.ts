// Examples of signing keys for the OpenAPI document, by operation.
import { EXAMPLE_KEY } from '../../../../api/examples.ts'

const KID = EXAMPLE_KEY.kid
const NEXT_KID = 'mS0yQ8r7hWb1vTqkEo3pXc9aLf5dUz2nGjYi6H4KwRA'
const [MADE, LATER] = ['2026-11-21T09:30:00Z', '2026-11-21T09:32:10Z']

const signingKey = {
  kid: KID,
  algorithm: 'ES256',
  state: 'current',
  thumbprint: KID,
  imported: false,
  rotation_requested: false,
  created_at: MADE,
  signs_from: LATER,
  signs_until: null,
  gone_at: null,
  published_before_signing_seconds: 360,
  kept_after_signing_seconds: 360,
  ready_in_seconds: null,
  leaves_in_seconds: null,
  public_jwk: EXAMPLE_KEY,
}

const changedKey = { ...signingKey, current_kid: KID, warning: null }

const nextKey = { ...changedKey, state: 'next', signs_from: null, ready_in_seconds: 360 }

export const SIGNING_KEY_EXAMPLES = {
  listSigningKeys: { answer: { data: [signingKey], next_cursor: null } },
  showSigningKey: { answer: signingKey },
  rotateSigningKey: { body: { note: 'quarterly' }, answer: changedKey },
  importSigningKey: {
    body: { private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n', kid: '2026-01' },
    answer: { ...nextKey, kid: '2026-01', imported: true, public_jwk: { ...EXAMPLE_KEY, kid: '2026-01' } },
  },
  retireSigningKey: {
    body: { note: 'its hardware goes' },
    answer: { ...changedKey, state: 'retained', signs_until: LATER, leaves_in_seconds: 360, current_kid: NEXT_KID },
  },
  compromiseSigningKey: {
    body: { note: 'seen in a log' },
    answer: { ...changedKey, state: 'compromised', signs_until: LATER, gone_at: LATER, current_kid: NEXT_KID },
  },
}
