// The routes of all that is secret: credentials of agents, API keys, and reports of either in the open.
import type { FastifyInstance } from 'fastify'
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
import { describeAdministration, describeList } from './openapi.ts'
import { makeRevokeApiKeyHandler, revokeApiKeyBody } from './revoke-api-key.ts'
import { makeRevokeCredentialHandler, revokeCredentialBody } from './revoke-credential.ts'
import { leakAnswers, LEAK_REPORT_BYTES_MAX, leakReport, makeLeakedSecretsHandler } from './revoke-leaked-secrets.ts'
import { makeRotateApiKeyHandler } from './rotate-api-key.ts'
import { makeRotateCredentialHandler } from './rotate-credential.ts'
import { makeShowApiKeyHandler } from './show-api-key.ts'
import { makeShowCredentialHandler } from './show-credential.ts'
import type { Wire } from './wire.ts'

const registerCredentials = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const all = '/api/v1/agents/:agent_id/credentials'
  const one = `${all}/:credential_id`
  app.post(
    all,
    describeAdministration({
      summary: 'Give an agent another secret, or something to trust in place of one',
      body: createCredentialBody,
      answers: { 201: createdCredentialAnswer },
    }),
    makeCreateCredentialHandler(ports, refuser),
  )
  app.get(
    all,
    describeList('List the credentials of an agent', pageQuery, credentialsAnswer),
    makeCredentialsHandler(ports, refuser),
  )
  app.get(
    one,
    describeAdministration({ summary: 'Show a credential', answers: { 200: credentialRecord } }),
    makeShowCredentialHandler(ports, refuser),
  )
  app.post(
    `${one}/rotate`,
    describeAdministration({
      summary: 'Replace a credential, with a grace for the old one',
      body: rotateBody,
      answers: { 201: rotatedCredentialAnswer },
    }),
    makeRotateCredentialHandler(ports, refuser),
  )
  app.post(
    `${one}/revoke`,
    describeAdministration({
      summary: 'Revoke a credential and end its tokens',
      body: revokeCredentialBody,
      answers: { 200: credentialRecord },
    }),
    makeRevokeCredentialHandler(ports, refuser),
  )
}

const registerApiKeys = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const all = '/api/v1/api-keys'
  const one = `${all}/:api_key_id`
  app.post(
    all,
    describeAdministration({
      summary: 'Make an API key',
      body: createApiKeyBody,
      answers: { 201: createdApiKeyAnswer },
    }),
    makeCreateApiKeyHandler(ports, refuser),
  )
  app.get(all, describeList('List API keys', pageQuery, apiKeysAnswer), makeApiKeysHandler(ports, refuser, all))
  app.get(
    one,
    describeAdministration({ summary: 'Show an API key', answers: { 200: apiKeyRecord } }),
    makeShowApiKeyHandler(ports, refuser),
  )
  app.post(
    `${one}/rotate`,
    describeAdministration({
      summary: 'Replace an API key, with a grace for the old one',
      body: rotateBody,
      answers: { 201: rotatedApiKeyAnswer },
    }),
    makeRotateApiKeyHandler(ports, refuser),
  )
  app.post(
    `${one}/revoke`,
    describeAdministration({
      summary: 'Revoke an API key',
      body: revokeApiKeyBody,
      answers: { 200: apiKeyRecord },
    }),
    makeRevokeApiKeyHandler(ports, refuser),
  )
}

const registerLeakedSecrets = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const description = { summary: 'Revoke secrets found in the open', body: leakReport, answers: { 200: leakAnswers } }
  app.post(
    '/api/v1/leaked-secrets',
    { ...describeAdministration(description), bodyLimit: LEAK_REPORT_BYTES_MAX },
    makeLeakedSecretsHandler(ports, refuser),
  )
}

export const registerSecrets = (app: FastifyInstance, wire: Wire): void => {
  registerCredentials(app, wire)
  registerApiKeys(app, wire)
  registerLeakedSecrets(app, wire)
}
