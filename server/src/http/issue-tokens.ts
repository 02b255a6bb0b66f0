// POST /oauth/token: a token for client credentials (RFC 6749 §4.4).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { isRefused, type OrRefusal, type Unavailable } from '../domain/refusal.ts'
import { inGroups } from '../operations/group.ts'
import {
  type IssueAnswer,
  type IssuedToken,
  issueProven,
  type IssueRequest,
  issueTokens,
} from '../operations/issue-tokens.ts'
import { inLane } from '../operations/lane.ts'
import { isUnproven, type ProofOrigin } from '../operations/prove-secret.ts'
import type { Ports } from '../ports.ts'
import { answerBy, answerUntil, type InTime } from './answer-deadline.ts'
import { parseAuthorization } from './authorization.ts'
import { clientFields, readClientCredentials } from './client-credentials.ts'
import { GROUP_MAX } from './group-max.ts'
import type { Refuser } from './refusals.ts'

export const tokenForm = z.object({
  grant_type: z.string({ error: 'is missing: send client_credentials' }).meta({ examples: ['client_credentials'] }),
  ...clientFields,
  scope: z
    .string()
    .optional()
    .meta({ description: 'Items resource:action, separated by one space each.', examples: ['db:read'] }),
  resource: z
    .array(z.string())
    .optional()
    .describe('The absolute URI of what the token is for (RFC 8707); repeatable.'),
  audience: z.array(z.string()).optional().describe('Another name for resource.'),
})

export const tokenAnswer = z.object({
  access_token: z.string().describe('A JWT (RFC 9068).'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().positive().describe('Lifetime of the token in seconds.'),
  scope: z.string().describe('The scope granted.'),
})

type TokenRequest = FastifyRequest<{ Body: z.output<typeof tokenForm> }>

type Asked = { readonly request: IssueRequest; readonly origin: ProofOrigin }

/** Token requests under way in a thread: about a quarter of a second of its work. Nothing else is counted. */
const ISSUES_MAX = 2048

export const makeTokenHandler = (ports: Ports, refuser: Refuser, logger: Logger, inTime: InTime) => {
  const gathered = inGroups<IssueRequest, Exclude<IssueAnswer, Unavailable>>(
    requests => inTime(issueTokens(ports, requests, answerBy(ports))),
    GROUP_MAX,
    setImmediate,
  )
  const onFull = () => logger.warn({ underWay: ISSUES_MAX }, 'token requests are refused until others are answered')
  const issueOne = async ({ request, origin }: Asked): Promise<OrRefusal<IssuedToken>> => {
    const answer = await gathered(request)
    return isUnproven(answer)
      ? answerUntil(ports, origin.until, issueProven(ports, gathered, { request, answer, origin }))
      : answer
  }
  const issue = inLane(issueOne, ISSUES_MAX, onFull)

  // Gives nothing back: Fastify would watch the stream of a reply that it is given until its end.
  return async (request: TokenRequest, reply: FastifyReply): Promise<void> => {
    const form = request.body
    const credentials = readClientCredentials(parseAuthorization(request.headers.authorization), form)
    if (isRefused(credentials)) return void refuser.refuse(reply, credentials.refusal)
    const issued = await issue({
      request: {
        grantType: form.grant_type,
        credentials,
        scope: form.scope,
        resources: [...(form.resource ?? []), ...(form.audience ?? [])],
      },
      origin: { requestId: request.id, source: request.ip, until: answerBy(ports) },
    })
    if (isRefused(issued)) return void refuser.refuse(reply, issued.refusal)
    const answer: z.output<typeof tokenAnswer> = {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
    }
    void reply.send(answer)
  }
}
