// The API on one screen: every route, its schemas and its handler. docs/ names each of them.
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { answerInTime } from './answer-deadline.ts'
import { answerAlive, healthAnswer, makeReadyHandler, makeUnreadyHandler, unreadyAnswer } from './check-health.ts'
import { answerPreflight } from './cross-origin.ts'
import { introspectAnswers, introspectForm, makeIntrospectHandler } from './introspect-tokens.ts'
import { makeTokenHandler, tokenAnswer, tokenForm } from './issue-tokens.ts'
import { historyAnswer, makeHistoryHandler } from './list-history.ts'
import { type HistoryQuery, historyQuery, type TokensQuery, tokensQuery } from './list-query.ts'
import { makeTokensHandler, tokensAnswer } from './list-tokens.ts'
import { byClient, byIntrospector, byOperator, describeForm, describeList, describeRead } from './openapi.ts'
import { keySetAnswer, makeKeySetHandler } from './publish-keys.ts'
import {
  makeAuthorizeHandler,
  makeMetadataHandler,
  makeOpenidMetadataHandler,
  metadataAnswer,
} from './publish-metadata.ts'
import { makeRevokeHandler, revokeAnswer, revokeForm } from './revoke-token.ts'
import type { Wire } from './wire.ts'

type Form<T extends z.ZodType> = { Body: z.output<T> }

const WITH_PROOF =
  'A header DPoP with a proof binds the token to its key (RFC 9449); 400 use_dpop_nonce asks for one with the nonce in DPoP-Nonce.'

/** The operations, below the path of the base URL, each answered by its deadline. */
export const registerOperations = (app: FastifyInstance, { ports, refuser, logger, inTime }: Wire): void => {
  app.post<Form<typeof tokenForm>>(
    '/oauth/token',
    { schema: { ...describeForm('Issue a token', byClient, tokenForm, tokenAnswer), description: WITH_PROOF } },
    makeTokenHandler(ports, refuser, logger, inTime),
  )
  app.post<Form<typeof introspectForm>>(
    '/oauth/introspect/v2',
    { schema: describeForm('Verify a token', byIntrospector, introspectForm, introspectAnswers) },
    makeIntrospectHandler(ports, refuser, inTime),
  )
  app.post<Form<typeof revokeForm>>(
    '/oauth/revoke',
    { schema: describeForm('Revoke a token', [...byOperator, ...byClient], revokeForm, revokeAnswer) },
    answerInTime(inTime, makeRevokeHandler(ports, refuser, logger)),
  )
  app.get('/oauth/authorize', { schema: { hide: true } }, makeAuthorizeHandler(refuser))
  app.get<{ Querystring: TokensQuery }>(
    '/api/v1/tokens',
    describeList('List live tokens', tokensQuery, tokensAnswer),
    answerInTime(inTime, makeTokensHandler(ports, refuser, '/api/v1/tokens')),
  )
  app.get<{ Querystring: HistoryQuery }>(
    '/api/v1/tokens/history',
    describeList('List ended tokens', historyQuery, historyAnswer),
    answerInTime(inTime, makeHistoryHandler(ports, refuser, '/api/v1/tokens/history')),
  )
  const keySet = '/.well-known/jwks.json'
  app.get(
    keySet,
    { schema: describeRead('Public keys', [], keySetAnswer) },
    answerInTime(inTime, makeKeySetHandler(ports)),
  )
  app.options(keySet, { schema: { hide: true } }, answerPreflight)
  app.get('/livez', { schema: describeRead('Whether the process runs', [], healthAnswer) }, answerAlive)
  const readiness = describeRead('Whether the service can serve', [], healthAnswer)
  app.get(
    '/readyz',
    {
      schema: { ...readiness, response: { 200: healthAnswer, 503: unreadyAnswer } },
      errorHandler: makeUnreadyHandler(refuser),
    },
    answerInTime(inTime, makeReadyHandler(ports)),
  )
}

/**
 * The metadata, at the root of the host: with a path in the base URL clients look for it both with the path appended
 * and, as RFC 8414 §3.1 has it, with the well-known name inserted before the path.
 */
export const registerMetadata = (app: FastifyInstance, { ports }: Wire, basePath: string): void => {
  const documents = {
    '/.well-known/oauth-authorization-server': makeMetadataHandler(ports.profile),
    '/.well-known/openid-configuration': makeOpenidMetadataHandler(ports.profile),
  }
  for (const [name, handler] of Object.entries(documents)) {
    const schema = describeRead('Metadata of this authorization server', [], metadataAnswer)
    app.get(basePath + name, { schema }, handler)
    app.options(basePath + name, { schema: { hide: true } }, answerPreflight)
    if (basePath === '') continue
    app.get(name + basePath, { schema: { hide: true } }, handler)
    app.options(name + basePath, { schema: { hide: true } }, answerPreflight)
  }
}

/** The OpenAPI document. Its page at '/docs' is a plugin of its own. */
export const registerDescription = (app: FastifyInstance): void => {
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => reply.send(app.swagger()))
}
