// The API of the administration on one screen: its routes, their schemas and their handlers. They take JSON and nothing else.
import type { FastifyInstance } from 'fastify'
import { takeJson } from './json-body.ts'
import { makeCreateRevocationHandler, revocationAnswers, revocationBody } from './create-revocation.ts'
import { describeAdministration } from './openapi.ts'
import { revocationRecord } from './revocation-record.ts'
import { makeRevokeTokenByIdHandler, tokenRevocationBody } from './revoke-token-by-id.ts'
import type { Wire } from './routes.ts'
import { makeShowRevocationHandler } from './show-revocation.ts'
import { makeShowTokenHandler } from './show-token.ts'
import { tokenLife } from './token-record.ts'

const registerTokens = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  app.get(
    '/api/v1/tokens/:id',
    describeAdministration({ summary: 'Show the whole life of a token', answers: { 200: tokenLife } }),
    makeShowTokenHandler(ports, refuser),
  )
  app.post(
    '/api/v1/tokens/:id/revoke',
    describeAdministration({
      summary: 'Revoke a token by its id',
      body: tokenRevocationBody,
      answers: { 200: tokenLife },
    }),
    makeRevokeTokenByIdHandler(ports, refuser),
  )
}

const registerRevocations = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const path = '/api/v1/revocations'
  app.post(
    path,
    describeAdministration({ summary: 'End many tokens at once', body: revocationBody, answers: revocationAnswers }),
    makeCreateRevocationHandler(ports, refuser, path),
  )
  app.get(
    '/api/v1/revocations/:id',
    describeAdministration({ summary: 'Show a revocation', answers: { 200: revocationRecord } }),
    makeShowRevocationHandler(ports, refuser),
  )
}

/** The operations of the administration, below the path of the base URL, in a scope of their own. */
export const registerAdministration = (app: FastifyInstance, wire: Wire): void => {
  takeJson(app)
  registerTokens(app, wire)
  registerRevocations(app, wire)
}
