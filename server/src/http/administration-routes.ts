// The administration on one screen: its routes under /api/v1, their schemas and their handlers.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { agentChangeBody, agentRecord, newAgentBody } from './agent-record.ts'
import { answerEachInTime } from './answer-deadline.ts'
import { type AuditQuery, auditQuery, type RefusalsQuery, refusalsQuery } from './audit-query.ts'
import { makeChangeAgentHandler } from './change-agent.ts'
import { createdAgentAnswer, makeCreateAgentHandler } from './create-agent.ts'
import { makeCreateRevocationHandler, revocationAnswers, revocationBody } from './create-revocation.ts'
import { makeDeleteAgentHandler } from './delete-agent.ts'
import { makeDisableAgentHandler } from './disable-agent.ts'
import { makeEnableAgentHandler } from './enable-agent.ts'
import { takeJson } from './json-body.ts'
import { agentsAnswer, type AgentsQuery, agentsQuery, makeAgentsHandler } from './list-agents.ts'
import { auditAnswer, makeAuditHandler } from './list-audit.ts'
import { makeRefusalsHandler, refusalsAnswer } from './list-refusals.ts'
import { describeAdministration, describeList } from './openapi.ts'
import { revocationRecord } from './revocation-record.ts'
import { makeRevokeTokenByIdHandler, tokenRevocationBody } from './revoke-token-by-id.ts'
import { registerSecrets } from './secret-routes.ts'
import { registerSigningKeys } from './signing-key-routes.ts'
import { makeShowAgentHandler } from './show-agent.ts'
import { makeShowRevocationHandler } from './show-revocation.ts'
import { makeShowTokenHandler } from './show-token.ts'
import { tokenLife } from './token-record.ts'
import type { Wire } from './wire.ts'

const nothing = z.undefined().describe('Done.')

const registerAgents = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const [all, one] = ['/api/v1/agents', '/api/v1/agents/:id']
  const shown = { 200: agentRecord }
  app.post(
    all,
    describeAdministration({
      summary: 'Create an agent',
      body: newAgentBody,
      answers: { 201: createdAgentAnswer },
    }),
    makeCreateAgentHandler(ports, refuser, all),
  )
  app.get<{ Querystring: AgentsQuery }>(
    all,
    describeList('List agents', agentsQuery, agentsAnswer),
    makeAgentsHandler(ports, refuser, all),
  )
  app.get(
    one,
    describeAdministration({ summary: 'Show an agent', answers: shown }),
    makeShowAgentHandler(ports, refuser),
  )
  app.patch(
    one,
    describeAdministration({ summary: 'Change an agent', body: agentChangeBody, answers: shown }),
    makeChangeAgentHandler(ports, refuser),
  )
  app.delete(
    one,
    describeAdministration({ summary: 'Delete an agent', answers: { 204: nothing } }),
    makeDeleteAgentHandler(ports, refuser),
  )
  app.post(
    '/api/v1/agents/:id/disable',
    describeAdministration({ summary: 'Disable an agent', answers: shown }),
    makeDisableAgentHandler(ports, refuser),
  )
  app.post(
    '/api/v1/agents/:id/enable',
    describeAdministration({ summary: 'Enable an agent', answers: shown }),
    makeEnableAgentHandler(ports, refuser),
  )
}

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

const registerAudit = (app: FastifyInstance, { ports, refuser }: Wire): void => {
  const [entries, refusals] = ['/api/v1/audit', '/api/v1/audit/refusals']
  app.get<{ Querystring: AuditQuery }>(
    entries,
    describeList('Read the audit log', auditQuery, auditAnswer),
    makeAuditHandler(ports, refuser, entries),
  )
  app.get<{ Querystring: RefusalsQuery }>(
    refusals,
    describeList('Count refused authentications', refusalsQuery, refusalsAnswer),
    makeRefusalsHandler(ports, refuser, refusals),
  )
}

/** Call it in a scope of its own, below the path of the base URL: it takes JSON and nothing else. */
export const registerAdministration = (app: FastifyInstance, wire: Wire): void => {
  takeJson(app)
  answerEachInTime(app, wire.inTime)
  registerAgents(app, wire)
  registerTokens(app, wire)
  registerRevocations(app, wire)
  registerSecrets(app, wire)
  registerSigningKeys(app, wire)
  registerAudit(app, wire)
}
