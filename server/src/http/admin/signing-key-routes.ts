// The routes of signing keys.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../../../../api/values/access.ts'
import { makeCompromiseSigningKeyHandler } from './compromise-signing-key.ts'
import { IMPORT_BYTES_MAX, makeImportSigningKeyHandler } from './import-signing-key.ts'
import { pageQuery } from './list-query.ts'
import { makeSigningKeysHandler } from './list-signing-keys.ts'
import { describeAdministration, describeList } from '../openapi/openapi.ts'
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
import type { AdministrationWire } from '../wire/wire.ts'

const ALL = '/api/v1/keys'
const ONE = `${ALL}/:kid`

const registerShown = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  app.get(
    ALL,
    describeList({
      operationId: 'listSigningKeys',
      summary: 'List signing keys',
      access: ACCESS.readSigningKeys,
      query: pageQuery,
      answer: signingKeysAnswer,
    }),
    makeSigningKeysHandler(ports, refuser, ALL),
  )
  app.get(
    ONE,
    describeAdministration({
      operationId: 'showSigningKey',
      summary: 'Show a signing key',
      access: ACCESS.readSigningKeys,
      answers: { 200: signingKeyRecord },
    }),
    makeShowSigningKeyHandler(ports, refuser),
  )
}

const CHANGED = { 200: changedKeyAnswer, 202: changedKeyAnswer }

const registerFollowing = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  app.post(
    `${ALL}/rotate`,
    describeAdministration({
      operationId: 'rotateSigningKey',
      summary: 'Let the next signing key sign',
      access: ACCESS.writeKeys,
      body: rotationBody,
      answers: CHANGED,
      refusals: [409],
      parameters: ['Idempotency-Key'],
    }),
    makeRotateSigningKeyHandler(ports, refuser),
  )
  app.post(
    `${ALL}/import`,
    {
      ...describeAdministration({
        operationId: 'importSigningKey',
        summary: 'Take a private key from outside',
        access: ACCESS.writeKeys,
        body: importBody,
        answers: { 201: changedKeyAnswer },
      }),
      bodyLimit: IMPORT_BYTES_MAX,
    },
    makeImportSigningKeyHandler(ports, refuser, ALL),
  )
}

const registerEnds = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  app.post(
    `${ONE}/retire`,
    describeAdministration({
      operationId: 'retireSigningKey',
      summary: 'Take a signing key out of signing',
      access: ACCESS.writeKeys,
      body: rotationBody,
      answers: CHANGED,
    }),
    makeRetireSigningKeyHandler(ports, refuser),
  )
  app.post(
    `${ONE}/compromise`,
    describeAdministration({
      operationId: 'compromiseSigningKey',
      summary: 'End a signing key and every token that it signed',
      access: ACCESS.writeKeys,
      body: compromiseBody,
      answers: { 200: changedKeyAnswer },
    }),
    makeCompromiseSigningKeyHandler(ports, refuser),
  )
}

export const registerSigningKeys = (app: FastifyInstance, wire: AdministrationWire): void => {
  registerShown(app, wire)
  registerFollowing(app, wire)
  registerEnds(app, wire)
}
