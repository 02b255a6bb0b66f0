// The routes of all that is secret: credentials of agents, API keys, and reports of either in the open.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../../../../api/values/access.ts'
import { requireAccess } from './administer.ts'
import { apiKeyRecord, apiKeysAnswer, createdApiKeyAnswer, rotatedApiKeyAnswer } from './api-key-record.ts'
import { createApiKeyBody, makeCreateApiKeyHandler } from './create-api-key.ts'
import { createCredentialBody, makeCreateCredentialHandler } from './create-credential.ts'
import {
  createdCredentialAnswer,
  credentialRecord,
  credentialsAnswer,
  rotatedCredentialAnswer,
} from './credential-record.ts'
import { rotateBody } from './json-members.ts'
import { makeApiKeysHandler } from './list-api-keys.ts'
import { makeCredentialsHandler } from './list-credentials.ts'
import { pageQuery } from './list-query.ts'
import { describeAdministration, describeList } from '../openapi/openapi.ts'
import { makeRevokeApiKeyHandler, revokeApiKeyBody } from './revoke-api-key.ts'
import { makeRevokeCredentialHandler, revokeCredentialBody } from './revoke-credential.ts'
import {
  leakAnswers,
  LEAK_REPORT_BYTES_MAX,
  leakReport,
  makeLeakedSecretsHandler,
  readLeakReport,
} from './revoke-leaked-secrets.ts'
import { makeRotateApiKeyHandler } from './rotate-api-key.ts'
import { makeRotateCredentialHandler } from './rotate-credential.ts'
import { makeShowApiKeyHandler } from './show-api-key.ts'
import { makeShowCredentialHandler } from './show-credential.ts'
import type { AdministrationWire } from '../wire/wire.ts'

const registerCredentials = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  const all = '/api/v1/agents/:agent_id/credentials'
  const one = `${all}/:credential_id`
  app.post(
    all,
    describeAdministration({
      operationId: 'createCredential',
      summary: 'Give an agent another secret, or something to trust in place of one',
      access: ACCESS.writeAgents,
      body: createCredentialBody,
      answers: { 201: createdCredentialAnswer },
    }),
    makeCreateCredentialHandler(ports, refuser),
  )
  app.get(
    all,
    describeList({
      operationId: 'listCredentials',
      summary: 'List the credentials of an agent',
      access: ACCESS.readAgents,
      query: pageQuery,
      answer: credentialsAnswer,
    }),
    makeCredentialsHandler(ports, refuser),
  )
  app.get(
    one,
    describeAdministration({
      operationId: 'showCredential',
      summary: 'Show a credential',
      access: ACCESS.readAgents,
      answers: { 200: credentialRecord },
    }),
    makeShowCredentialHandler(ports, refuser),
  )
  app.post(
    `${one}/rotate`,
    describeAdministration({
      operationId: 'rotateCredential',
      summary: 'Replace a credential, with a grace for the old one',
      access: ACCESS.writeAgents,
      body: rotateBody,
      answers: { 201: rotatedCredentialAnswer },
    }),
    makeRotateCredentialHandler(ports, refuser),
  )
  app.post(
    `${one}/revoke`,
    describeAdministration({
      operationId: 'revokeCredential',
      summary: 'Revoke a credential and end its tokens',
      access: ACCESS.stopAgents,
      body: revokeCredentialBody,
      answers: { 200: credentialRecord },
    }),
    makeRevokeCredentialHandler(ports, refuser),
  )
}

const registerApiKeys = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  const all = '/api/v1/api-keys'
  const one = `${all}/:api_key_id`
  app.post(
    all,
    describeAdministration({
      operationId: 'createApiKey',
      summary: 'Make an API key',
      access: ACCESS.writeKeys,
      body: createApiKeyBody,
      answers: { 201: createdApiKeyAnswer },
    }),
    makeCreateApiKeyHandler(ports, refuser),
  )
  app.get(
    all,
    describeList({
      operationId: 'listApiKeys',
      summary: 'List API keys',
      access: ACCESS.writeKeys,
      query: pageQuery,
      answer: apiKeysAnswer,
    }),
    makeApiKeysHandler(ports, refuser, all),
  )
  app.get(
    one,
    describeAdministration({
      operationId: 'showApiKey',
      summary: 'Show an API key',
      access: ACCESS.writeKeys,
      answers: { 200: apiKeyRecord },
    }),
    makeShowApiKeyHandler(ports, refuser),
  )
  app.post(
    `${one}/rotate`,
    describeAdministration({
      operationId: 'rotateApiKey',
      summary: 'Replace an API key, with a grace for the old one',
      access: ACCESS.writeKeys,
      body: rotateBody,
      answers: { 201: rotatedApiKeyAnswer },
    }),
    makeRotateApiKeyHandler(ports, refuser),
  )
  app.post(
    `${one}/revoke`,
    describeAdministration({
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      access: ACCESS.writeKeys,
      body: revokeApiKeyBody,
      answers: { 200: apiKeyRecord },
    }),
    makeRevokeApiKeyHandler(ports, refuser),
  )
}

const registerLeakedSecrets = (app: FastifyInstance, wire: AdministrationWire): void => {
  const description = {
    operationId: 'revokeLeakedSecrets',
    summary: 'Revoke secrets found in the open',
    access: ACCESS.revokeTokens,
    body: leakReport,
    answers: { 200: leakAnswers },
  }
  app.post(
    '/api/v1/leaked-secrets',
    {
      ...describeAdministration(description),
      bodyLimit: LEAK_REPORT_BYTES_MAX,
      onRequest: requireAccess(wire, description.access),
      validatorCompiler: () => readLeakReport,
    },
    makeLeakedSecretsHandler(wire.ports, wire.refuser),
  )
}

export const registerSecrets = (app: FastifyInstance, wire: AdministrationWire): void => {
  registerCredentials(app, wire)
  registerApiKeys(app, wire)
  registerLeakedSecrets(app, wire)
}
