// Limits that a caller can meet or a setting changes. The value of each is that of its constant (`file/NAME`), setting, or member of Timing.

/** What is limited; the constant, setting or wait that holds it; for what it counts; what happens beyond it. */
export type LimitRow = readonly [what: string, key: string, per: string, beyond: string]

export type LimitSection = { readonly title: string; readonly rows: readonly LimitRow[] }

export const LIMITS_OF_CALLERS: readonly LimitSection[] = [
  {
    title: 'Connections',
    rows: [
      [
        'connections at once',
        'MINTMARK_CONNECTIONS_MAX',
        'process',
        'Closed at once. The last tenth is for addresses with at most 8 connections',
      ],
      [
        'connections of one address',
        'MINTMARK_CONNECTIONS_PER_ADDRESS',
        'address (IPv6: /64) and process',
        'Closed at once. Trusted proxies and loopback addresses are exempt',
      ],
      [
        'connections that wait to be accepted',
        'accepting/BACKLOG',
        'thread',
        'The system refuses them. Linux allows at most `net.core.somaxconn`: raise it if it is lower',
      ],
      [
        'arrival of a whole request, or a TLS handshake',
        'timing/requestMs',
        'connection',
        '408, in a handshake nothing; the connection is closed',
      ],
      ['request line and header fields', 'listener/HEADER_BYTES_MAX', 'request', '431; the connection is closed'],
      [
        'a connection without a request, or without a read of the response',
        'timing/idleConnectionMs',
        'connection',
        'Closed. Announced as `Keep-Alive`; let a balancer close its connections earlier',
      ],
      [
        'pipelined requests that may always wait',
        'pipelining/OWN_WAITING_MAX',
        'connection',
        'More wait only while the thread has room',
      ],
      [
        'pipelined requests that wait besides',
        'pipelining/SHARED_WAITING_MAX',
        'thread',
        'The connection is closed; none of its waiting requests is started',
      ],
    ],
  },
  {
    title: 'Sessions of the console',
    rows: [
      ['life of a session', 'session/SESSION_MS_MAX', 'session', 'The session ends: the operator signs in again'],
      [
        'time without a request',
        'session/SESSION_IDLE_MS_MAX',
        'session',
        'The session ends: the operator signs in again',
      ],
      ['sessions', 'sessions/SESSIONS_OF_OPERATOR_MAX', 'operator', 'The oldest session ends'],
      ['time for a sign-in at the identity provider', 'session/SIGN_IN_MS_MAX', 'sign-in', 'The operator begins again'],
      ['sign-ins that ask the identity provider at once', 'sign-in/SIGN_INS_MAX', 'thread', 'Further sign-ins wait'],
      [
        'sign-ins of one network that ask at once',
        'sign-in/SIGN_INS_OF_ONE_MAX',
        'address (IPv6: /64) and thread',
        'Further sign-ins wait',
      ],
      ['sign-ins that are not complete', 'sign-in-cookies/SIGN_INS_OPEN_MAX', 'browser', 'The oldest is dropped'],
      [
        'sign-ins that wait to ask',
        'sign-in/SIGN_INS_WAITING_MAX',
        'thread',
        '503 for the last sign-in of the network with the most',
      ],
      ['wait of a sign-in', 'timing/signInWaitMs', 'sign-in', '503'],
      [
        'answer of the identity provider',
        'timing/signInAnswerMs',
        'answer',
        '503; a session goes on while its JWT lasts',
      ],
      [
        'streams of open pages of the console',
        'console-streams/CONSOLE_STREAMS_MAX.all',
        'thread',
        '503; the page asks every two seconds instead',
      ],
      [
        'streams of one operator',
        'console-streams/CONSOLE_STREAMS_MAX.ofOne',
        'operator and thread',
        '503; the page asks every two seconds instead',
      ],
      [
        'wait of an event of a stream to be read',
        'timing/consoleUnreadMs',
        'stream',
        'The connection is closed; the page opens another',
      ],
      ['life of a stream', 'timing/consoleStreamMs', 'stream', 'It ends; the page opens another'],
      [
        '`Cookie` header, where a cookie decides',
        'cookies/COOKIES_CHARACTERS_MAX',
        'request',
        '431 `header_fields_too_large`',
      ],
    ],
  },
  {
    title: 'Failed authentications',
    rows: [
      [
        'failed authentications with one client id, known or not',
        'MINTMARK_FAILED_AUTH_PER_CLIENT',
        'client id, address (IPv6: /64) and process',
        '429 `too_many_requests` with `Retry-After` instead of 401',
      ],
      [
        'failed authentications of every kind',
        'MINTMARK_FAILED_AUTH_PER_ADDRESS',
        'address (IPv6: /64) and process',
        '429 `too_many_requests` with `Retry-After` instead of 401',
      ],
      [
        'elements that are read of `Forwarded` or `X-Forwarded-For`',
        'forwarded/FORWARDED_HOPS_MAX',
        'request',
        'The last address that was read counts',
      ],
      [
        'credentials and API keys that are listed because they expire soon',
        'status/EXPIRING_MAX',
        'response',
        'Those that expire later are left out; the state of the service counts all',
      ],
      [
        'ended tokens that a series over time counts',
        'usage/SERIES_ENDS_MAX',
        'response',
        'The counts are lower bounds',
      ],
      ['how long uses of tokens are kept', 'usage/USES_KEPT_DAYS', 'row', 'Removed'],
    ],
  },
  {
    title: 'Requests',
    rows: [
      ['body', 'MINTMARK_BODY_BYTES_MAX', 'request', '413'],
      ['body of an import', 'limits/IMPORT_BYTES_MAX', 'request', '413'],
      ['values in a JSON body', 'json-body/BODY_VALUES_MAX', 'request', '413'],
      ['values in an import', 'limits/IMPORT_VALUES_MAX', 'request', '413'],
      ['a parameter in the path', 'fields/PARAMETER_CHARACTERS_MAX', 'parameter', '404'],
      ['`Accept`', 'accept/ACCEPT_CHARACTERS_MAX', 'request', 'Nothing of it is read: the default media type'],
      ['`Idempotency-Key`', 'limits/IDEMPOTENCY_KEY_CHARACTERS_MAX', 'request', '400'],
      [
        'a token or a client assertion',
        'compact-jws/COMPACT_CHARACTERS_MAX',
        'token',
        'Not active; an assertion is refused; an exchange that would make a longer one is 400',
      ],
      ['nesting of the JSON in a JWT', 'json/DEPTH_MAX', 'JWT', 'The token is not active; an assertion is refused'],
      ['a DPoP proof', 'proof-claims/PROOF_CHARACTERS_MAX', 'request', '400 `invalid_dpop_proof`'],
      ['`jti` of a DPoP proof', 'proof-claims/ID_CHARACTERS_MAX', 'proof', '400 `invalid_dpop_proof`'],
      [
        'distance of `iat` in a DPoP proof from now',
        'proof-claims/PROOF_AGE_SECONDS_MAX',
        'proof',
        '400 `invalid_dpop_proof`',
      ],
      ['`jti` of a client assertion', 'client-assertion/ASSERTION_JTI_CHARACTERS_MAX', 'assertion', 'Refused'],
      [
        '`exp` of an assertion that the client signs, from now',
        'client-assertion/EXPIRY_SECONDS_MAX.private_key_jwt',
        'assertion',
        'Refused',
      ],
      [
        "`exp` of a workload's token, from now",
        'client-assertion/EXPIRY_SECONDS_MAX.workload_identity',
        'assertion',
        'Refused',
      ],
      [
        "`exp` of an issuer's JWT that is exchanged, from now",
        'foreign-jwt/EXPIRY_SECONDS_MAX',
        'JWT',
        '400 `invalid_request`',
      ],
      ['`sub` of an operator', 'identity-providers/SUB_CHARACTERS_MAX', 'JWT', '401'],
      ['scope', 'scope/SCOPE_CHARACTERS_MAX', 'request', '400 `invalid_scope`'],
      ['items of a scope', 'scope/SCOPE_ITEMS_MAX', 'request', '400 `invalid_scope`'],
      ['resources', 'audience/AUDIENCES_MAX', 'token request', '400 `invalid_target`'],
      ['a resource or an audience', 'audience/AUDIENCE_CHARACTERS_MAX', 'text', '400 `invalid_target`'],
    ],
  },
  {
    title: 'Lists',
    rows: [
      ['records', 'lists/PAGE_RECORDS_MAX', 'page', '400'],
      ['rows that are examined for a page', 'page/PAGE_EXAMINED_MAX', 'page', 'The page is short, with a cursor'],
      ['a cursor', 'fields/CURSOR_CHARACTERS_MAX', 'request', '400'],
      ['ids or clients that a request of a list asks for, of each kind', 'lists/LISTED_IDS_MAX', 'request', '400'],
      [
        'agents and credentials that `q` or `id_prefix` finds by the beginning of their ids',
        'lists/IDS_OPENED_MAX',
        'list',
        'Left out',
      ],
      ['an exact count', 'lists/COUNT_EXACT_MAX', 'response', 'A lower bound, marked as such'],
      ['examples of a dry run', 'lists/SAMPLE_RECORDS_MAX', 'response', 'Left out'],
      [
        'agents that a dry run names, of those whose tokens would end with others',
        'lists/DESCENDANT_AGENTS_MAX',
        'response',
        'Left out',
      ],
      [
        "rows that the count of one agent's tokens examines",
        'count-tokens/COUNT_EXAMINED_MAX',
        'request',
        'A lower bound',
      ],
      ['rows that a dry run examines', 'count-ends/EXAMINED_MAX', 'request', 'A lower bound'],
      ['characters of `plan_id`', 'revocations/PLAN_CHARACTERS_MAX', 'request', '400'],
      ['validity of the plan of a dry run', 'plan/PLAN_SECONDS_MAX', 'plan', '409 `plan_outdated`'],
      [
        'rows issued since its dry run that a revocation with a plan examines',
        'check-plan/PLAN_EXAMINED_MAX',
        'request',
        '409 `plan_outdated`, and nothing ends',
      ],
      ['labels to filter by', 'labels/LABELS_ASKED_MAX', 'request', '400'],
    ],
  },
  {
    title: 'Trusted issuers',
    rows: [
      ['issuers', 'issuers/ISSUERS_MAX', 'store', '400'],
      ['`require`', 'issuers/REQUIRED_CLAIMS_MAX', 'issuer', '400'],
      ['`parties`', 'issuers/PARTIES_MAX', 'issuer', '400'],
    ],
  },
  {
    title: 'Imports',
    rows: [
      ['agents', 'limits/IMPORTED_AGENTS_MAX', 'request', '400. `mintmark import` sends several requests'],
      ['document that `mintmark import` reads', 'plan-document/DOCUMENT_BYTES_MAX', 'document', 'Refused'],
      ['values in a document that `mintmark import` reads', 'plan-document/DOCUMENT_VALUES_MAX', 'document', 'Refused'],
      ['scopes of a kind, audiences, grants', 'plan-document/LIST_MAX', 'client', 'The document is refused'],
      ['a text that holds a list', 'plan-document/PARTED_CHARACTERS_MAX', 'client', 'The document is refused'],
      ['cost of a bcrypt hash', 'foreign-hash/BCRYPT_COST_MAX', 'client', 'The client is not imported'],
      ['iterations of PBKDF2, times blocks', 'foreign-hash/PBKDF2_ROUNDS_MAX', 'client', 'The client is not imported'],
      ['key that PBKDF2 derives', 'foreign-hash/PBKDF2_BYTES_MAX', 'client', 'The client is not imported'],
    ],
  },
]
