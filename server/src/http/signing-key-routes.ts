// The routes of signing keys.
import type { FastifyInstance } from 'fastify'
import { makeCompromiseSigningKeyHandler } from './compromise-signing-key.ts'
import { IMPORT_BYTES_MAX, makeImportSigningKeyHandler } from './import-signing-key.ts'
import { pageQuery } from './list-query.ts'
import { makeSigningKeysHandler } from './list-signing-keys.ts'
import { describeAdministration, describeList } from './openapi.ts'
import { makeRetireSigningKeyHandler } from './retire-signing-key.ts'
import { makeRotateSigningKeyHandler } from './rotate-signing-key.ts'
import { makeShowSigningKeyHandler } from './show-signing-key.ts'
import {
  changedKeyAnswer,
  compromiseBody,
  importBody,
  rotationBody,
  signingKeyRecord,
  signingKeysAnswer,
} from './signing-key-record.ts'
import type { Wire } from './wire.ts'

export const registerSigningKeys = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const all = '/api/v1/keys'
  const changed = { 200: changedKeyAnswer, 202: changedKeyAnswer }
  app.get(
    all,
    describeList('List signing keys', pageQuery, signingKeysAnswer),
    makeSigningKeysHandler(ports, refuser, all),
  )
  app.get(
    '/api/v1/keys/:kid',
    describeAdministration({ summary: 'Show a signing key', answers: { 200: signingKeyRecord } }),
    makeShowSigningKeyHandler(ports, refuser),
  )
  app.post(
    '/api/v1/keys/rotate',
    describeAdministration({ summary: 'Let the next signing key sign', body: rotationBody, answers: changed }),
    makeRotateSigningKeyHandler(ports, refuser),
  )
  app.post(
    '/api/v1/keys/import',
    {
      ...describeAdministration({
        summary: 'Take a private key from outside',
        body: importBody,
        answers: { 201: changedKeyAnswer },
      }),
      bodyLimit: IMPORT_BYTES_MAX,
    },
    makeImportSigningKeyHandler(ports, refuser, all),
  )
  app.post(
    '/api/v1/keys/:kid/retire',
    describeAdministration({
      summary: 'Take a signing key out of signing',
      body: rotationBody,
      answers: changed,
    }),
    makeRetireSigningKeyHandler(ports, refuser),
  )
  app.post(
    '/api/v1/keys/:kid/compromise',
    describeAdministration({
      summary: 'End a signing key and every token that it signed',
      body: compromiseBody,
      answers: { 200: changedKeyAnswer },
    }),
    makeCompromiseSigningKeyHandler(ports, refuser),
  )
}
