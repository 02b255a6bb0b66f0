// The administration on one screen: its routes under /api/v1, their schemas and their handlers.
import type { FastifyInstance } from 'fastify'
import { serveBindings } from './administer.ts'
import { bindings as agents } from './agents.ts'
import { bindings as audit } from './audit.ts'
import { bindings as exports } from './exports.ts'
import { bindings as revocations } from './revocations.ts'
import { bindings as tokens } from './tokens.ts'
import { answerEachInTime } from '../wire/answer-deadline.ts'
import { registerImports } from '../imports/import-route.ts'
import { takeJson } from '../wire/json-body.ts'
import { registerSecrets } from './secret-routes.ts'
import { registerSigningKeys } from './signing-key-routes.ts'
import { serveExports } from './serve-exports.ts'
import type { AdministrationWire } from '../wire/wire.ts'

/** Call it in a scope of its own, below the path of the base URL: it takes JSON and nothing else. */
export const registerAdministration = (app: FastifyInstance, wire: AdministrationWire): void => {
  takeJson(app)
  answerEachInTime(app, wire.inTime)
  for (const bindings of [agents, tokens, revocations]) serveBindings(app, wire, bindings)
  registerSecrets(app, wire)
  registerImports(app, wire)
  registerSigningKeys(app, wire)
  serveBindings(app, wire, audit)
  serveExports(app, wire, exports)
}
