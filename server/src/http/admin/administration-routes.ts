// The administration on one screen: its routes under /api/v1, their schemas and their handlers.
import type { FastifyInstance } from 'fastify'
import { ACCESS } from '../../../../api/values/access.ts'
import { serveBindings } from './administer.ts'
import { bindings as agents } from './agents.ts'
import { answerEachInTime } from '../wire/answer-deadline.ts'
import { type AuditQuery, auditQuery, type RefusalsQuery, refusalsQuery } from './audit-query.ts'
import { makeCreateRevocationHandler, revocationAnswers, revocationBody } from './create-revocation.ts'
import { makeExportAuditHandler } from './export-audit.ts'
import { makeExportHistoryHandler } from './export-history.ts'
import { makeExportLimit } from './export-limit.ts'
import {
  type ExportAuditQuery,
  exportAuditQuery,
  type ExportHistoryQuery,
  exportHistoryQuery,
  type ExportTokensQuery,
  exportTokensQuery,
} from './export-query.ts'
import { makeExportTokensHandler } from './export-tokens.ts'
import { registerImports } from '../imports/import-route.ts'
import { takeJson } from '../wire/json-body.ts'
import { auditAnswer, auditRecord, makeAuditHandler } from './list-audit.ts'
import { historyAnswer, makeHistoryHandler } from './list-history.ts'
import { type HistoryQuery, historyQuery, type TokensQuery, tokensQuery } from './list-query.ts'
import { makeRefusalsHandler, refusalsAnswer } from './list-refusals.ts'
import { makeTokensHandler, tokensAnswer } from './list-tokens.ts'
import { describeAdministration, describeExport, describeList } from '../openapi/openapi.ts'
import { revocationRecord } from './revocation-record.ts'
import { makeRevokeTokenByIdHandler, tokenRevocationBody } from './revoke-token-by-id.ts'
import { registerSecrets } from './secret-routes.ts'
import { registerSigningKeys } from './signing-key-routes.ts'
import { makeShowRevocationHandler } from './show-revocation.ts'
import { makeShowTokenHandler } from './show-token.ts'
import { endedTokenRecord, tokenLife, tokenRecord } from './token-record.ts'
import type { AdministrationWire } from '../wire/wire.ts'

const registerTokens = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  const [live, ended] = ['/api/v1/tokens', '/api/v1/tokens/history']
  app.get<{ Querystring: TokensQuery }>(
    live,
    describeList({
      operationId: 'listTokens',
      summary: 'List live tokens',
      access: ACCESS.readTokens,
      query: tokensQuery,
      answer: tokensAnswer,
    }),
    makeTokensHandler(ports, refuser, live),
  )
  app.get<{ Querystring: HistoryQuery }>(
    ended,
    describeList({
      operationId: 'listHistory',
      summary: 'List ended tokens',
      access: ACCESS.readTokens,
      query: historyQuery,
      answer: historyAnswer,
    }),
    makeHistoryHandler(ports, refuser, ended),
  )
  app.get(
    '/api/v1/tokens/:id',
    describeAdministration({
      operationId: 'showToken',
      summary: 'Show the whole life of a token',
      access: ACCESS.readTokens,
      answers: { 200: tokenLife },
    }),
    makeShowTokenHandler(ports, refuser),
  )
  app.post(
    '/api/v1/tokens/:id/revoke',
    describeAdministration({
      operationId: 'revokeTokenById',
      summary: 'Revoke a token by its id',
      access: ACCESS.revokeTokens,
      body: tokenRevocationBody,
      answers: { 200: tokenLife },
    }),
    makeRevokeTokenByIdHandler(ports, refuser),
  )
}

const registerRevocations = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  const path = '/api/v1/revocations'
  app.post(
    path,
    describeAdministration({
      operationId: 'createRevocation',
      summary: 'End many tokens at once',
      access: ACCESS.revokeTokens,
      body: revocationBody,
      answers: revocationAnswers,
    }),
    makeCreateRevocationHandler(ports, refuser, path),
  )
  app.get(
    '/api/v1/revocations/:id',
    describeAdministration({
      operationId: 'showRevocation',
      summary: 'Show a revocation',
      access: ACCESS.readTokens,
      answers: { 200: revocationRecord },
    }),
    makeShowRevocationHandler(ports, refuser),
  )
}

const registerAudit = (app: FastifyInstance, { ports, refuser }: AdministrationWire): void => {
  const [entries, refusals] = ['/api/v1/audit', '/api/v1/audit/refusals']
  app.get<{ Querystring: AuditQuery }>(
    entries,
    describeList({
      operationId: 'listAudit',
      summary: 'Read the audit log',
      access: ACCESS.readAudit,
      query: auditQuery,
      answer: auditAnswer,
    }),
    makeAuditHandler(ports, refuser, entries),
  )
  app.get<{ Querystring: RefusalsQuery }>(
    refusals,
    describeList({
      operationId: 'listRefusals',
      summary: 'Count refused authentications and token requests',
      access: ACCESS.readAudit,
      query: refusalsQuery,
      answer: refusalsAnswer,
    }),
    makeRefusalsHandler(ports, refuser, refusals),
  )
}

const registerExports = (app: FastifyInstance, wire: AdministrationWire): void => {
  const limit = makeExportLimit(app, wire)
  app.get<{ Querystring: ExportTokensQuery }>(
    '/api/v1/exports/tokens',
    describeExport({
      operationId: 'exportTokens',
      summary: 'Export live tokens',
      access: ACCESS.readTokens,
      query: exportTokensQuery,
      record: tokenRecord,
    }),
    makeExportTokensHandler(wire, limit),
  )
  app.get<{ Querystring: ExportHistoryQuery }>(
    '/api/v1/exports/history',
    describeExport({
      operationId: 'exportHistory',
      summary: 'Export ended tokens',
      access: ACCESS.readTokens,
      query: exportHistoryQuery,
      record: endedTokenRecord,
    }),
    makeExportHistoryHandler(wire, limit),
  )
  app.get<{ Querystring: ExportAuditQuery }>(
    '/api/v1/exports/audit',
    describeExport({
      operationId: 'exportAudit',
      summary: 'Export the audit log',
      access: ACCESS.readAudit,
      query: exportAuditQuery,
      record: auditRecord,
    }),
    makeExportAuditHandler(wire, limit),
  )
}

/** Call it in a scope of its own, below the path of the base URL: it takes JSON and nothing else. */
export const registerAdministration = (app: FastifyInstance, wire: AdministrationWire): void => {
  takeJson(app)
  answerEachInTime(app, wire.inTime)
  serveBindings(app, wire, agents)
  registerTokens(app, wire)
  registerRevocations(app, wire)
  registerSecrets(app, wire)
  registerImports(app, wire)
  registerSigningKeys(app, wire)
  registerAudit(app, wire)
  registerExports(app, wire)
}
