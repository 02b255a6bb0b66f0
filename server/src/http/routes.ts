// The routes of the service beside its administration: each operation of api/ and its handler.
import type { FastifyInstance } from 'fastify'
import { checkAlive, checkHealth } from '../../../api/status.ts'
import { publishKeys, publishMetadata, publishOpenidMetadata, readErrorReference } from '../../../api/metadata.ts'
import { introspectToken, issueToken, revokeToken } from '../../../api/oauth.ts'
import { type FormOf, type Operation, pathOf } from '../../../api/operation.ts'
import { answerAlive, makeReadyHandler, makeUnreadyHandler } from './oauth/check-health.ts'
import { answerPreflight } from './wire/constant-body.ts'
import { makeIntrospectHandler } from './oauth/introspect-tokens.ts'
import { makeTokenHandler } from './oauth/issue-tokens.ts'
import { makeKeySetHandler } from './oauth/publish-keys.ts'
import { makeAuthorizeHandler, makeMetadataHandler, makeOpenidMetadataHandler } from './oauth/publish-metadata.ts'
import { serveGlobalRevocation } from './oauth/revoke-globally.ts'
import { makeRevokeHandler } from './oauth/revoke-token.ts'
import { makeErrorPageHandler } from './openapi/error-page.ts'
import { serveFeed } from './oauth/feed/serve-feed.ts'
import { answerInTime } from './wire/answer-deadline.ts'
import { routeOf } from './wire/describe.ts'
import type { Wire } from './wire/wire.ts'

type Form<Row extends Operation> = { Body: FormOf<Row> }

const HIDDEN = { schema: { hide: true } }

/** The operations, below the path of the base URL, each answered by its deadline. */
export const registerOperations = (app: FastifyInstance, wire: Wire): void => {
  const { ports, refuser } = wire
  app.route<Form<typeof issueToken>>({ ...routeOf(issueToken), handler: makeTokenHandler(wire) })
  const introspect = makeIntrospectHandler(wire)
  app.route<Form<typeof introspectToken>>({ ...routeOf(introspectToken), handler: introspect })
  const revoke = answerInTime(wire, makeRevokeHandler(wire))
  app.route<Form<typeof revokeToken>>({ ...routeOf(revokeToken), handler: revoke })
  serveGlobalRevocation(app, wire)
  serveFeed(app, wire)
  app.get('/oauth/authorize', HIDDEN, makeAuthorizeHandler(refuser))
  app.route({ ...routeOf(publishKeys), handler: answerInTime(wire, makeKeySetHandler(ports)) })
  app.options(pathOf(publishKeys), HIDDEN, answerPreflight)
  app.route({ ...routeOf(readErrorReference), handler: makeErrorPageHandler(ports) })
  app.route({ ...routeOf(checkAlive), handler: answerAlive })
  app.route({
    ...routeOf(checkHealth),
    errorHandler: makeUnreadyHandler(refuser),
    handler: answerInTime(wire, makeReadyHandler(wire)),
  })
}

/**
 * The metadata, at the root of the host: with a path in the base URL clients look for it both with the path appended
 * and, as RFC 8414 §3.1 has it, with the well-known name inserted before the path.
 */
export const registerMetadata = (app: FastifyInstance, wire: Wire, basePath: string): void => {
  const { ports } = wire
  for (const [row, answerWhenRead] of [
    [publishMetadata, makeMetadataHandler(ports)],
    [publishOpenidMetadata, makeOpenidMetadataHandler(ports)],
  ] as const) {
    const [name, handler] = [pathOf(row), answerInTime(wire, answerWhenRead)]
    app.route({ ...routeOf(row), url: basePath + name, handler })
    app.options(basePath + name, HIDDEN, answerPreflight)
    if (basePath === '') continue
    app.get(name + basePath, HIDDEN, handler)
    app.options(name + basePath, HIDDEN, answerPreflight)
  }
}
