// The checks of an explanation, in words.
import type { ExplainTokenAnswer } from '../../../packages/client/src/index.ts'
import type { CheckName } from '../../../api/values/explanation.ts'

export type Check = ExplainTokenAnswer['checks'][number]

type Words = { readonly passed: string; readonly failed: string }

const WORDS: Readonly<Record<CheckName, Words>> = {
  form: { passed: 'It has the form of a token', failed: 'It does not have the form of a token' },
  issuer: { passed: 'It names this service as its issuer', failed: 'It does not name this service as its issuer' },
  record: { passed: 'The service has a record of its id', failed: 'The service has no record of its id' },
  spelling: { passed: 'It is the exact text that was issued', failed: 'It is not the exact text that was issued' },
  end: { passed: 'No end of it is recorded', failed: 'Its end is recorded' },
  expiry: { passed: 'It has not expired', failed: 'It has expired' },
  service: { passed: 'No act ended all tokens', failed: 'An act ended all tokens' },
  agent: { passed: 'Its agent may hold it', failed: 'An act ended all tokens of its agent' },
  credential: { passed: 'Its credential stands', failed: 'An act ended all tokens of its credential' },
  signing_key: { passed: 'Its signing key stands', failed: 'An act ended all tokens of its signing key' },
  trusted_issuer: {
    passed: 'No act ended all tokens for subjects of its issuer',
    failed: 'An act ended all tokens for subjects of its issuer',
  },
  subject: { passed: 'No act ended all tokens for its subject', failed: 'An act ended all tokens for its subject' },
  cut_offs: { passed: 'No open revocation covers it', failed: 'An open revocation covers it' },
  ancestor: { passed: 'The token that it was got for is active', failed: 'A token that it was got for has ended' },
}

export const formatCheck = ({ check, outcome }: Check): string => WORDS[check][outcome]

/** What a code means that is of the text, not of an end. */
const OF_TEXT: Readonly<Record<string, string>> = {
  malformed: 'This text is no token. Was it cut off, or copied with something beside it?',
  foreign: 'This service did not make it: another issuer did, or its signature is forged.',
  unknown: 'It names this service, which has no record of it: it was never issued here, or retention removed it.',
  other_spelling: 'It names a token of this service, but is not the exact text that was issued.',
}

export const explainCode = (code: string): string | undefined =>
  Object.hasOwn(OF_TEXT, code) ? OF_TEXT[code] : undefined
