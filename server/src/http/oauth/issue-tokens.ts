// POST /oauth/token: a token for client credentials (RFC 6749 §4.4), or for another token (RFC 8693).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { issueToken } from '../../../../api/oauth.ts'
import type { AnswerOf, FormOf } from '../../../../api/operation.ts'
import { ACCESS_TOKEN_TYPE, JWT_BEARER, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { isRefused } from '../../domain/refusal.ts'
import { makeIssueToken } from '../../operations/tokens/issue-token.ts'
import type { ExchangeFields } from '../../operations/tokens/read-exchange.ts'
import { makeClientReader, readClientCredentials } from './client-credentials.ts'
import { answerInGroup } from '../wire/answer-deadline.ts'
import { makeCallerNote } from '../notes/request-note.ts'
import type { Wire } from '../wire/wire.ts'

type TokenRequest = FastifyRequest<{ Body: FormOf<typeof issueToken> }>

/** The value of the DPoP header, the empty one too: a client that sends it wants no bearer token. */
const dpopOf = ({ headers: { dpop } }: FastifyRequest): string | undefined =>
  Array.isArray(dpop) ? dpop.join(', ') : dpop

const exchangeOf = (form: TokenRequest['body']): ExchangeFields => ({
  subjectToken: form.subject_token,
  subjectTokenType: form.subject_token_type,
  requestedTokenType: form.requested_token_type,
  actorToken: form.actor_token,
  actorTokenType: form.actor_token_type,
})

export const makeTokenHandler = (wire: Wire) => {
  const { ports, refuser, logger, inTime, metrics, traces } = wire
  const readClient = makeClientReader(wire, readClientCredentials)
  const countIssued = metrics.counter('mintmark_tokens_issued_total', {})
  const onFull = (underWay: number) => logger.warn({ underWay }, 'token requests are refused until others are answered')
  const onGroup = metrics.histogram('mintmark_group_requests', { group: 'issue' })
  const issue = makeIssueToken(ports, { inTime, defer: setImmediate, onFull, onGroup, traces })

  // Returns nothing: Fastify would watch the stream of a reply that it gets until its end.
  return async (request: TokenRequest, reply: FastifyReply): Promise<void> => {
    const form = request.body
    const client = readClient(request)
    if (isRefused(client)) return void refuser.refuse(reply, client.refusal)
    const resources = [...(form.resource ?? []), ...(form.audience ?? [])]
    const dpop = dpopOf(request)
    const onCaller = makeCallerNote(request.raw)
    const isExchange = form.grant_type === TOKEN_EXCHANGE
    const { grant_type: grantType, scope, assertion } = form
    const ofAssertion = grantType === JWT_BEARER ? { assertion, clientId: form.client_id } : {}
    const asked = { ...client, grantType, scope, resources, dpop, onCaller, ...ofAssertion }
    const work = issue(isExchange ? { ...asked, exchange: exchangeOf(form) } : asked)
    const issued = await answerInGroup(wire, request.raw, work)
    if (isRefused(issued)) return void refuser.refuse(reply, issued.refusal)
    const answer: AnswerOf<typeof issueToken> = {
      access_token: issued.accessToken,
      token_type: issued.tokenType,
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
      ...(issued.resource !== undefined && { resource: issued.resource }),
      ...(isExchange && { issued_token_type: ACCESS_TOKEN_TYPE }),
    }
    if (typeof issued.nonce === 'string') void reply.header('dpop-nonce', issued.nonce)
    countIssued()
    void reply.send(answer)
  }
}
