// Every operation of the API.
import * as agents from './agents.ts'
import * as apiKeys from './api-keys.ts'
import * as audit from './audit.ts'
import * as credentials from './credentials.ts'
import * as explanations from './explanations.ts'
import * as exports from './exports.ts'
import * as issuers from './issuers.ts'
import * as managed from './managed.ts'
import * as metadata from './metadata.ts'
import * as oauth from './oauth.ts'
import * as signingKeys from './signing-keys.ts'
import * as imports from './imports.ts'
import type { Operation } from './operation.ts'
import * as revocationFeed from './revocation-feed.ts'
import * as revocations from './revocations.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as status from './status.ts'
import * as tokens from './tokens.ts'
import * as usage from './usage.ts'
import * as verifiers from './verifiers.ts'

const SUBJECTS = [
  oauth,
  revocationFeed,
  metadata,
  agents,
  credentials,
  apiKeys,
  tokens,
  explanations,
  usage,
  status,
  revocations,
  verifiers,
  sessions,
  settings,
  imports,
  signingKeys,
  audit,
  exports,
  // Behind the others, whose types of the generated client were named first.
  issuers,
  managed,
]

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'route' in value && 'answers' in value

export const OPERATIONS: readonly Operation[] = SUBJECTS.flatMap(subject =>
  Object.values<unknown>(subject).filter(isOperation),
)
