// The administration on one screen: its routes under /api/v1, their schemas and their handlers.
import type { FastifyInstance } from 'fastify'
import { serveBindings } from './administer.ts'
import { bindings as agents } from './agents.ts'
import { bindings as apiKeys } from './api-keys.ts'
import { bindings as audit } from './audit.ts'
import { bindings as credentials } from './credentials.ts'
import { bindings as exports } from './exports.ts'
import { bindings as imports } from './imports.ts'
import { bindings as issuers } from './issuers.ts'
import { bindings as leakedSecrets } from './leaked-secrets.ts'
import { bindings as managed } from './managed.ts'
import { bindings as revocations } from './revocations.ts'
import { bindings as sessions } from './sessions.ts'
import { bindings as settings } from './settings.ts'
import { bindings as status } from './status.ts'
import { bindings as tokens } from './tokens.ts'
import { bindings as usage } from './usage.ts'
import { bindings as verifiers } from './verifiers.ts'
import { answerEachInTime } from '../wire/answer-deadline.ts'
import { takeJson } from '../wire/json-body.ts'
import { bindings as signingKeys } from './signing-keys.ts'
import { serveExports } from './serve-exports.ts'
import type { AdministrationWire } from '../wire/wire.ts'

/** Call it in a scope of its own, below the path of the base URL: it takes JSON and nothing else. */
export const registerAdministration = (app: FastifyInstance, wire: AdministrationWire): void => {
  takeJson(app)
  answerEachInTime(app, wire)
  for (const bindings of [
    agents,
    tokens,
    usage,
    status,
    revocations,
    credentials,
    apiKeys,
    leakedSecrets,
    issuers,
    managed,
    verifiers,
    imports,
    signingKeys,
    sessions,
    settings,
    audit,
  ])
    serveBindings(app, wire, bindings)
  serveExports(app, wire, exports)
}
