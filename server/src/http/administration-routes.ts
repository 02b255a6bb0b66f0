// The administration on one screen: its routes under /api/v1, their schemas and their handlers.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ACCESS } from '../domain/access.ts'
import { makeDoorkeeper } from './administer.ts'
import { agentChangeBody, agentRecord, newAgentBody } from './agent-record.ts'
import { answerEachInTime } from './answer-deadline.ts'
import { type AuditQuery, auditQuery, type RefusalsQuery, refusalsQuery } from './audit-query.ts'
import { makeChangeAgentHandler } from './change-agent.ts'
import { createdAgentAnswer, makeCreateAgentHandler } from './create-agent.ts'
import { makeCreateRevocationHandler, revocationAnswers, revocationBody } from './create-revocation.ts'
import { makeDeleteAgentHandler } from './delete-agent.ts'
import { makeDisableAgentHandler } from './disable-agent.ts'
import { makeEnableAgentHandler } from './enable-agent.ts'
import { makeExportAuditHandler } from './export-audit.ts'
import { makeExportHistoryHandler } from './export-history.ts'
import { makeExportLane } from './export-lane.ts'
import {
  type ExportAuditQuery,
  exportAuditQuery,
  type ExportHistoryQuery,
  exportHistoryQuery,
  type ExportTokensQuery,
  exportTokensQuery,
} from './export-query.ts'
import { makeExportTokensHandler } from './export-tokens.ts'
import { importBody, IMPORT_BYTES_MAX, importAnswer, makeImportHandler } from './import-clients.ts'
import { takeJson } from './json-body.ts'
import { agentsAnswer, type AgentsQuery, agentsQuery, makeAgentsHandler } from './list-agents.ts'
import { auditAnswer, auditRecord, makeAuditHandler } from './list-audit.ts'
import { makeRefusalsHandler, refusalsAnswer } from './list-refusals.ts'
import { describeAdministration, describeExport, describeList } from './openapi.ts'
import { revocationRecord } from './revocation-record.ts'
import { makeRevokeTokenByIdHandler, tokenRevocationBody } from './revoke-token-by-id.ts'
import { registerSecrets } from './secret-routes.ts'
import { makeShowAgentHandler } from './show-agent.ts'
import { makeShowRevocationHandler } from './show-revocation.ts'
import { makeShowTokenHandler } from './show-token.ts'
import { endedTokenRecord, tokenLife, tokenRecord } from './token-record.ts'
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

const registerImports = (app: FastifyInstance, wire: Wire): void => {
  app.post(
    '/api/v1/imports',
    {
      ...describeAdministration({
        summary: 'Take over the clients of another server',
        body: importBody,
        answers: { 200: importAnswer },
      }),
      bodyLimit: IMPORT_BYTES_MAX,
      onRequest: makeDoorkeeper(wire, ACCESS.writeAgents),
    },
    makeImportHandler(wire.ports, wire.refuser),
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

const registerExports = (app: FastifyInstance, wire: Wire): void => {
  const lane = makeExportLane(app, wire)
  app.get<{ Querystring: ExportTokensQuery }>(
    '/api/v1/exports/tokens',
    describeExport('Export live tokens', exportTokensQuery, tokenRecord),
    makeExportTokensHandler(wire, lane),
  )
  app.get<{ Querystring: ExportHistoryQuery }>(
    '/api/v1/exports/history',
    describeExport('Export ended tokens', exportHistoryQuery, endedTokenRecord),
    makeExportHistoryHandler(wire, lane),
  )
  app.get<{ Querystring: ExportAuditQuery }>(
    '/api/v1/exports/audit',
    describeExport('Export the audit log', exportAuditQuery, auditRecord),
    makeExportAuditHandler(wire, lane),
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
  registerImports(app, wire)
  registerAudit(app, wire)
  registerExports(app, wire)
}
