// The reasons why a client of another server is skipped or refused, in the words for its operator.
import { NAME_FORM } from '../../../../api/values/name.ts'
import { IMPORTED_SECRET_CHARACTERS_MAX, IMPORTED_SECRET_CHARACTERS_MIN } from '../clients/credential.ts'
import { BCRYPT_COST_MAX, PBKDF2_ROUNDS_MAX } from './foreign-hash.ts'

/** The client could not use the client-credentials grant with a secret there. */
const SKIP_REASONS = {
  other_protocol: 'Its protocol is not OpenID Connect.',
  public_client: 'It is a public client: it has no secret.',
  bearer_only: 'It only takes tokens, and asks for none.',
  no_client_credentials: 'It may not use the client-credentials grant.',
  other_authentication: 'It authenticates itself by something other than a secret, which this service does not take.',
} as const

const REFUSED_REASONS = {
  client_id_malformed: 'Its client id is not 1 to 255 printable ASCII characters without spaces around them.',
  client_id_repeated: 'Its client id is given more than once; the first counts.',
  client_id_retired: 'An agent that is deleted had its client id, which is never used again.',
  client_id_at_issuer:
    'Its client id is that of another agent at a trusted issuer. Take it out of issuer_clients of that agent first.',
  secret_too_short: `Its secret has less than ${IMPORTED_SECRET_CHARACTERS_MIN} characters. Give it a longer one there, or take it out of the document: the agent then gets a new one.`,
  secret_too_long: `Its secret has more than ${IMPORTED_SECRET_CHARACTERS_MAX} characters.`,
  secret_expired:
    'Its secret has expired, or when it does cannot be read. Take it out of the document: the agent then gets a new one.',
  hash_unknown:
    "Its secret is kept under a hash that is neither bcrypt nor PBKDF2 in Hydra's form. Take it out of the document: the agent then gets a new one.",
  hash_too_costly: `The hash of its secret costs too much to verify: at most 2^${BCRYPT_COST_MAX} rounds of bcrypt or ${PBKDF2_ROUNDS_MAX} of PBKDF2. Take it out of the document: the agent then gets a new one.`,
  no_scope:
    'None of its scopes has the form resource:action. Name what they stand for with --scope-map, or give --scope.',
  too_many_scopes: 'It has more scopes than an agent can have, or longer ones.',
  too_many_resources: 'It has more audiences than an agent can have resources.',
  lifetime_out_of_range: 'The lifetime of its tokens is not a whole number of seconds from 1 to 86400.',
  lifetimes_full: 'The lifetime of its tokens would be one more than there may be in use.',
  issuer_unknown: 'Its acts_for or issuer_clients names an issuer that is not trusted.',
  issuer_client_taken: 'Another agent has one of its issuer_clients.',
  issuer_client_of_agent:
    'One of its issuer_clients is the agent_id or client_id of another agent, which may be deleted.',
  name_malformed: `Neither its name nor its client id is ${NAME_FORM}.`,
  name_taken: 'Other agents have its name and its client id as their names.',
} as const

export const IMPORT_REASONS = { ...SKIP_REASONS, ...REFUSED_REASONS } as const

export type ImportReason = keyof typeof IMPORT_REASONS

export const isSkipped = (reason: ImportReason): boolean => Object.hasOwn(SKIP_REASONS, reason)
