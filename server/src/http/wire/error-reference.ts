// The error reference: the status, title, causes and remedy of each refusal code. The page /errors shows it, docs/reference/errors.md
// is made from it, and a problem's `type` is the address of its section.
import type { RefusalCode } from '../../domain/refusal.ts'

/** Text may hold code in backticks, and no other markup. */
export type ErrorEntry = {
  readonly status: number
  /** The `title` of a problem (RFC 9457 §3.1.3). */
  readonly title: string
  readonly causes: readonly string[]
  readonly remedy: string
}

/** A new refusal code does not compile until it has its entry here. */
export const ERRORS: Readonly<Record<RefusalCode, ErrorEntry>> = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    causes: [
      'A parameter is missing, repeated or malformed, or it is in the query string of a form request.',
      'A member of a JSON body is given twice.',
      'The content type is wrong.',
      'The request carries two credentials.',
      'The agent needs a client certificate and the request has none, or the header that carries it is malformed or does not come from a trusted proxy.',
      'A token exchange: the subject token is not active, or the agent may not exchange it, or less than 15 s of it are left, or it has 8 ancestors; or a field names another type of token, or an actor token.',
    ],
    remedy: 'Correct the request; the description names the part that is wrong.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'Unsupported grant type',
    causes: ['`grant_type` is neither `client_credentials` nor `urn:ietf:params:oauth:grant-type:token-exchange`.'],
    remedy: 'Request tokens with `grant_type=client_credentials`.',
  },
  unsupported_response_type: {
    status: 400,
    title: 'Unsupported response type',
    causes: [
      'A client called the authorization endpoint. The metadata announces it only because some clients demand it; ' +
        'the service has no authorization flow.',
    ],
    remedy: 'Request tokens at `/oauth/token` with `grant_type=client_credentials`.',
  },
  invalid_grant: {
    status: 400,
    title: 'Invalid grant',
    causes: [
      'At `/oauth/token` with the jwt-bearer grant: the assertion is no ID-JAG of an issuer from which this agent may present one, or was used before.',
      'The assertion was not sent to this agent, or its subject is none for whom the agent may act; the description says so once its signature is verified.',
      'Nothing that the assertion names in `scope` or `resource` is what this service allows.',
    ],
    remedy: 'Ask the issuer for a new assertion for this agent, or an administrator to allow what it names.',
  },
  invalid_scope: {
    status: 400,
    title: 'Invalid scope',
    causes: [
      'The scope is malformed or holds an item that the agent may not have.',
      'The request names no scope and the agent has no default scope.',
      'A token exchange: the subject token does not carry an item of the scope, or carries nothing that the agent may have.',
      'When an agent is created or changed: its default scope goes beyond its scope.',
    ],
    remedy: 'Request `resource:action` items that the agent may have.',
  },
  invalid_target: {
    status: 400,
    title: 'Invalid target',
    causes: [
      '`resource` (RFC 8707) is not an absolute URI, is an http or https URI without a host, or has a fragment.',
      'The agent may not request tokens for this resource.',
      'When an agent or an API key is created or changed: one of its resources or audiences is such a URI.',
    ],
    remedy: 'Request a resource that the agent may have.',
  },
  unauthorized_client: {
    status: 400,
    title: 'Not allowed to this client',
    causes: [
      'At `/oauth/token`: the `grant_types` of the agent do not hold the grant.',
      'At `/oauth/revoke`: a client tried to revoke a live token that was issued to another client. The token stays active.',
    ],
    remedy: 'Ask an administrator to allow the agent the grant, or an operator to revoke the token.',
  },
  invalid_dpop_proof: {
    status: 400,
    title: 'Invalid DPoP proof',
    causes: [
      'The DPoP proof of a token request is malformed, badly signed, made for another address, too old or already used.',
      'The agent gets DPoP-bound tokens only (RFC 9449 §5) and the request has no proof.',
      'The request has a proof, but tokens of this agent are bound to its client certificate.',
    ],
    remedy: 'Make a new proof for every request; the description names the part that is wrong.',
  },
  use_dpop_nonce: {
    status: 400,
    title: 'DPoP nonce required',
    causes: ['The DPoP proof carries no nonce of this service, or one that is too old (RFC 9449 §8).'],
    remedy: 'Send the request again with a new proof that carries the nonce from the response header `DPoP-Nonce`.',
  },
  invalid_client: {
    status: 401,
    title: 'Authentication failed',
    causes: ['The request has no credential, or a wrong one.', 'The agent is disabled.'],
    remedy: 'Check the id, secret or key. `WWW-Authenticate` lists the schemes that the endpoint accepts.',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid token',
    causes: [
      "The identity provider's JWT is expired, badly signed or meant for another audience.",
      'The token was issued by this service instead of the identity provider.',
    ],
    remedy: 'Sign in to the identity provider again.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient permissions',
    causes: [
      'The credential is valid, but lacks the permission or role that the operation needs.',
      'An API key tried to create an API key with more permissions than its own.',
    ],
    remedy: 'Ask an administrator for the permission; the description names it.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    causes: ['The service has no such path, or nothing with this id, or nothing that this caller may see.'],
    remedy: 'Check the path and the id, and whether the base URL has a path of its own.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    causes: ['The path exists, but not with this method.'],
    remedy: 'Use a method that the response header `Allow` lists.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    causes: ['The header fields or the body did not arrive completely within 30 s. The service closes the connection.'],
    remedy: 'Send the request again on a new connection.',
  },
  already_exists: {
    status: 409,
    title: 'Already exists',
    causes: [
      'Something with this name exists.',
      'Another credential, which `id` names, trusts the same subject.',
      'A revocation with this id exists and has other conditions.',
      'The `Idempotency-Key` was used before; `id` names what that request created.',
    ],
    remedy: 'Choose another name or id, or continue with what exists.',
  },
  epoch_changed: {
    status: 409,
    title: 'Start over',
    causes: [
      'A request to the revocation feed names another epoch than the feed has: its history was rewritten, as after a restore.',
      'A request to the revocation feed names a position beyond the feed.',
    ],
    remedy: 'Forget all facts, and begin with the snapshot.',
  },
  plan_outdated: {
    status: 409,
    title: 'Plan outdated',
    causes: [
      'More tokens that match were issued since the dry run than `max_extra` allows, or more than can be counted.',
      'Other agents match than in the dry run.',
      'The plan is older than 120 s.',
    ],
    remedy: 'Make another dry run, and confirm what it shows.',
  },
  request_too_large: {
    status: 413,
    title: 'Request too large',
    causes: [
      'The body is larger than the limit, or its chunk extensions are larger than 16 kB.',
      'The body holds more values than the operation accepts.',
    ],
    remedy: 'Send less, or send it in parts.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported content coding',
    causes: ['The body has a content coding, as `Content-Encoding: gzip`.'],
    remedy: 'Send the body as it is.',
  },
  misdirected_request: {
    status: 421,
    title: 'Wrong host',
    causes: [
      'The `Host` header, or the URL that the request line holds in its place, names a host that `mintmark dev` does not serve.',
    ],
    remedy: 'Use the address that `mintmark dev` printed.',
  },
  too_many_requests: {
    status: 429,
    title: 'Limit reached',
    causes: [
      'The credential is wrong, and so were too many others within a minute: with this client id from this address, or ' +
        'from this address (of IPv6: from its /64). A right credential is never refused for this reason.',
      'At `/oauth/token`: the agent has received as many tokens in a minute or a day as its limits allow.',
      'At `/oauth/token`: the agent has as many live tokens as its limit allows.',
    ],
    remedy:
      'Send the right credential. At `/oauth/token` with the right one: use each token until it expires. Wait as many seconds as `Retry-After` says: a token is granted then if no other ' +
      'request takes it first. Or ask an administrator to raise the limit. A request that is refused with this code ' +
      'does not count toward a limit.',
  },
  header_fields_too_large: {
    status: 431,
    title: 'Header fields too large',
    causes: [
      'The request line and the header fields are larger than 16 kB together. The service closes the connection.',
      'The console, or an operation that takes its session, is asked for with more than 8192 characters of cookies.',
    ],
    remedy: 'Send fewer or shorter header fields. In a browser: delete the cookies of this host, and sign in again.',
  },
  server_error: {
    status: 500,
    title: 'Internal error',
    causes: ['The service failed. The response holds no detail; the log holds it under the request id.'],
    remedy: 'Report the failure with its request id.',
  },
  not_implemented: {
    status: 501,
    title: 'Not implemented',
    causes: [
      'The body has another transfer coding than `chunked`, as `Transfer-Encoding: gzip, chunked`.',
      'The method is `CONNECT`, as a client sends it to a proxy.',
    ],
    remedy:
      'Send the body with `Content-Length`, or with `Transfer-Encoding: chunked`. Do not name this service as the proxy of a client.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    causes: [
      "The database or an identity provider's keys did not answer in time (4.6 s). Whether a change was made is unknown.",
      "The keys of an operator's identity provider cannot be read; the description names the provider and the cause.",
      'The service already has as many token requests, exports, followers of the revocation feed, streams of the console, or signatures of operators and clients under way as it accepts.',
      'Too many secrets of imported clients wait for verification: 64 requests with one secret, 4 secrets of one client, ' +
        '64 in all. When there is no room, the request that would be served last is refused.',
      'Too many requests wait for the keys of clients.',
      'The request would end many tokens, and too many such requests are still being processed: 8 of this API key, ' +
        '32 of this operator, 32 of all API keys, 48 revocations, 64 with the changes of agents. Nothing was changed.',
    ],
    remedy: 'Send the request again after `Retry-After` seconds. Revoking twice is harmless.',
  },
}

/** The `type` of a problem: the address of the section of its code on the page /errors. */
export const typeOf = (issuer: string, code: RefusalCode): string => `${issuer}/errors#${code}`

const isCode = (text: string): text is RefusalCode => Object.hasOwn(ERRORS, text)

/** The status of a code as the store has it: null where a later program wrote it. */
export const statusOf = (text: string): number | null => (isCode(text) ? ERRORS[text].status : null)
