// The API on one screen: every route, its schemas and its handler. docs/ names each of them.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerInTime } from './wire/answer-deadline.ts'
import {
  answerAlive,
  healthAnswer,
  makeReadyHandler,
  makeUnreadyHandler,
  readyAnswer,
  unreadyAnswer,
} from './oauth/check-health.ts'
import { answerPreflight } from './oauth/constant-body.ts'
import { introspectAnswers, introspectForm, makeIntrospectHandler } from './oauth/introspect-tokens.ts'
import { makeTokenHandler, tokenAnswer, tokenForm } from './oauth/issue-tokens.ts'
import { byClient, byIntrospector, byRevoker, describeForm, describeRead } from './openapi/openapi.ts'
import { PUBLIC_HEADERS } from './openapi/openapi-components.ts'
import { keySetAnswers, makeKeySetHandler } from './oauth/publish-keys.ts'
import {
  makeAuthorizeHandler,
  makeMetadataHandler,
  makeOpenidMetadataHandler,
  metadataAnswer,
  openidMetadataAnswer,
} from './oauth/publish-metadata.ts'
import { makeRevokeHandler, revokeAnswer, revokeForm } from './oauth/revoke-token.ts'
import type { Wire } from './wire/wire.ts'

type Form<T extends z.ZodType> = { Body: z.output<T> }

/** What agents and resource servers ask for. */
const registerOauth = (app: FastifyInstance, wire: Wire): void => {
  const { ports, refuser, inTime } = wire
  app.post<Form<typeof tokenForm>>(
    '/oauth/token',
    {
      schema: describeForm({
        operationId: 'issueToken',
        summary: 'Issue a token',
        security: byClient,
        form: tokenForm,
        answer: tokenAnswer,
        // Limits of agents.
        refusals: [429],
        parameters: ['DPoP'],
      }),
    },
    makeTokenHandler(wire),
  )
  app.post<Form<typeof introspectForm>>(
    '/oauth/introspect/v2',
    {
      schema: describeForm({
        operationId: 'introspectToken',
        summary: 'Verify a token',
        security: byIntrospector,
        form: introspectForm,
        answer: introspectAnswers,
      }),
    },
    makeIntrospectHandler(ports, refuser, inTime),
  )
  app.post<Form<typeof revokeForm>>(
    '/oauth/revoke',
    {
      schema: describeForm({
        operationId: 'revokeToken',
        summary: 'Revoke a token',
        security: byRevoker,
        form: revokeForm,
        answer: revokeAnswer,
      }),
    },
    answerInTime(inTime, makeRevokeHandler(wire)),
  )
  app.get('/oauth/authorize', { schema: { hide: true } }, makeAuthorizeHandler(refuser))
}

const registerPublic = (app: FastifyInstance, { ports, refuser, inTime }: Wire): void => {
  const keySet = '/.well-known/jwks.json'
  app.get(
    keySet,
    {
      schema: describeRead({
        operationId: 'publishKeys',
        summary: 'Public keys',
        answers: keySetAnswers,
        refusals: [503],
        headers: [...PUBLIC_HEADERS, 'ETag', 'Vary'],
      }),
    },
    answerInTime(inTime, makeKeySetHandler(ports)),
  )
  app.options(keySet, { schema: { hide: true } }, answerPreflight)
  app.get(
    '/livez',
    {
      schema: describeRead({
        operationId: 'checkAlive',
        summary: 'Whether the process runs',
        answers: { 200: healthAnswer },
      }),
    },
    answerAlive,
  )
  app.get(
    '/readyz',
    {
      schema: describeRead({
        operationId: 'checkHealth',
        summary: 'Whether the service can serve',
        answers: { 200: readyAnswer, 503: unreadyAnswer },
        parameters: ['verbose'],
      }),
      errorHandler: makeUnreadyHandler(refuser),
    },
    answerInTime(inTime, makeReadyHandler(ports)),
  )
}

/** The operations, below the path of the base URL, each answered by its deadline. */
export const registerOperations = (app: FastifyInstance, wire: Wire): void => {
  registerOauth(app, wire)
  registerPublic(app, wire)
}

/**
 * The metadata, at the root of the host: with a path in the base URL clients look for it both with the path appended
 * and, as RFC 8414 §3.1 has it, with the well-known name inserted before the path.
 */
export const registerMetadata = (app: FastifyInstance, { ports, inTime }: Wire, basePath: string): void => {
  const documents = {
    publishMetadata: {
      name: '/.well-known/oauth-authorization-server',
      answer: metadataAnswer,
      handler: makeMetadataHandler(ports),
    },
    publishOpenidMetadata: {
      name: '/.well-known/openid-configuration',
      answer: openidMetadataAnswer,
      handler: makeOpenidMetadataHandler(ports),
    },
  }
  const summary = 'Metadata of this authorization server'
  const marks = { refusals: [503], headers: [...PUBLIC_HEADERS, 'ETag' as const] }
  for (const [operationId, { name, answer, handler: answerWhenRead }] of Object.entries(documents)) {
    const schema = describeRead({ operationId, summary, answers: { 200: answer, 304: z.undefined() }, ...marks })
    const handler = answerInTime(inTime, answerWhenRead)
    app.get(basePath + name, { schema }, handler)
    app.options(basePath + name, { schema: { hide: true } }, answerPreflight)
    if (basePath === '') continue
    app.get(name + basePath, { schema: { hide: true } }, handler)
    app.options(name + basePath, { schema: { hide: true } }, answerPreflight)
  }
}
