// POST /oauth/token: a token for client credentials (RFC 6749 §4.4).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { checkAssertion, type PresentedAssertion } from '../../operations/authentication/check-assertion.ts'
import { inGroups } from '../../operations/group.ts'
import { checkProof } from '../../operations/authentication/check-proof.ts'
import {
  type IssueAnswer,
  type IssuedToken,
  issueVerified,
  type IssueRequest,
  issueTokens,
} from '../../operations/tokens/issue-tokens.ts'
import { withPermit } from '../../operations/concurrency-limit.ts'
import {
  hasLegacyHash,
  type ProofOrigin,
  type LegacyHash,
} from '../../operations/authentication/verify-legacy-secret.ts'
import type { Ports } from '../../ports/ports.ts'
import { answerBy, answerUntil, type InTime } from '../wire/answer-deadline.ts'
import { parseAuthorization } from '../wire/authorization.ts'
import { clientFields, readClientCredentials } from './client-credentials.ts'
import { GROUP_MAX } from '../wire/group-max.ts'
import { sourceOf } from '../wire/source.ts'
import type { Wire } from '../wire/wire.ts'

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
  token_type: z.enum(['Bearer', 'DPoP']).describe('DPoP where the request carried a proof (RFC 9449 §5).'),
  expires_in: z.int().positive().describe('Lifetime of the token in seconds.'),
  scope: z.string().describe('The scope granted.'),
})

type TokenRequest = FastifyRequest<{ Body: z.output<typeof tokenForm> }>

/** Token requests under way in a thread: about a quarter of a second of its work. Nothing else is counted. */
const ISSUES_MAX = 2048

/** A request, the value of its DPoP header, and where it came from. */
type Asked = { readonly request: IssueRequest; readonly proof: string | undefined; readonly origin: ProofOrigin }

/** `nonce` is for the client's next proof. */
type Issued = IssuedToken & { readonly nonce?: string | null }

type Answer = OrRefusal<Issued> | LegacyHash

const makeIssue = (ports: Ports, inTime: InTime): ((asked: Asked) => Promise<Answer>) => {
  const gathered = inGroups<IssueRequest, Exclude<IssueAnswer, Error>>(
    requests => inTime(issueTokens(ports, requests, answerBy(ports))),
    GROUP_MAX,
    setImmediate,
  )
  // A proof is checked before its request joins a group: no other waits for it.
  const bound = async (request: IssueRequest, text: string): Promise<Answer> => {
    const checked = await checkProof(ports, request.credentials, text)
    if (isRefused(checked) || hasLegacyHash(checked)) return checked
    const issued = await gathered({ ...request, proof: checked.proof })
    return isRefused(issued) || hasLegacyHash(issued) ? issued : { ...issued, nonce: checked.nonce }
  }
  const issueOne = ({ request, proof }: Asked): Promise<Answer> =>
    proof === undefined ? gathered(request) : inTime(bound(request, proof))
  // An assertion is checked before its request joins a group, too.
  const issueAsserted = async (asked: Asked, presented: PresentedAssertion): Promise<Answer> => {
    const credentials = await checkAssertion(ports, presented, asked.origin.source)
    return isRefused(credentials) ? credentials : issueOne({ ...asked, request: { ...asked.request, credentials } })
  }
  return asked => {
    const { credentials } = asked.request
    return credentials.kind === 'assertion' ? inTime(issueAsserted(asked, credentials)) : issueOne(asked)
  }
}

type Issue = (asked: Asked) => Promise<OrRefusal<Issued>>

/** Whoever waits for the verification of a secret is not under way meanwhile, and enters again: it keeps nobody out. */
const makeLimitedIssue = ({ ports, logger, inTime }: Wire): Issue => {
  const onFull = () => logger.warn({ underWay: ISSUES_MAX }, 'token requests are refused until others are answered')
  const enter = withPermit<Asked, Issued | LegacyHash>(makeIssue(ports, inTime), ISSUES_MAX, onFull)
  return async asked => {
    const { request, origin } = asked
    const answer = await enter(asked)
    if (!hasLegacyHash(answer)) return answer
    const again = (verified: IssueRequest): Promise<Answer> => enter({ ...asked, request: verified })
    return answerUntil(ports, origin.until, issueVerified(ports, again, { request, answer, origin }))
  }
}

/** The value of the DPoP header, the empty one too: who sends it wants no bearer token. */
const dpopOf = ({ headers: { dpop } }: FastifyRequest): string | undefined =>
  Array.isArray(dpop) ? dpop.join(', ') : dpop

export const makeTokenHandler = (wire: Wire) => {
  const { ports, refuser, findCertificate } = wire
  const issue = makeLimitedIssue(wire)

  // Gives nothing back: Fastify would watch the stream of a reply that it is given until its end.
  return async (request: TokenRequest, reply: FastifyReply): Promise<void> => {
    const form = request.body
    const shown = findCertificate(request)
    if (isRefused(shown)) return void refuser.refuse(reply, shown.refusal)
    const authorization = parseAuthorization(request.headers.authorization)
    const credentials = readClientCredentials(authorization, form, shown.certificate)
    if (isRefused(credentials)) return void refuser.refuse(reply, credentials.refusal)
    const resources = [...(form.resource ?? []), ...(form.audience ?? [])]
    const issued = await issue({
      request: { grantType: form.grant_type, credentials, scope: form.scope, resources, ...shown },
      proof: dpopOf(request),
      origin: { requestId: request.id, source: sourceOf(request), until: answerBy(ports) },
    })
    if (isRefused(issued)) return void refuser.refuse(reply, issued.refusal)
    const answer: z.output<typeof tokenAnswer> = {
      access_token: issued.accessToken,
      token_type: issued.tokenType,
      expires_in: issued.expiresInSeconds,
      scope: issued.scope,
    }
    if (typeof issued.nonce === 'string') void reply.header('dpop-nonce', issued.nonce)
    void reply.send(answer)
  }
}
