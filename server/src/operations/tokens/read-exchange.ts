// The fields of a token exchange (RFC 8693 §2.1), and what of them this service takes: an access token of its own, or a JWT of an issuer
// that is trusted.
import { ACCESS_TOKEN_TYPE, SUBJECT_TOKEN_TYPES } from '../../../../api/values/delegation.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'

/** The fields of a token exchange; each is undefined where the request does not have it. */
export type ExchangeFields = {
  readonly subjectToken: string | undefined
  readonly subjectTokenType: string | undefined
  readonly requestedTokenType: string | undefined
  readonly actorToken: string | undefined
  readonly actorTokenType: string | undefined
}

const ONLY_TYPE = `the one type of this service is ${ACCESS_TOKEN_TYPE}`

/** The kinds of tokens that an exchange takes. */
type ExchangedType = keyof typeof SUBJECT_TOKEN_TYPES

const TYPES: ReadonlyMap<string, ExchangedType> = new Map(
  Object.entries(SUBJECT_TOKEN_TYPES).map(([type, urn]) => [urn, type as ExchangedType]), // the keys of that constant
)

const TYPE_UNKNOWN = `subject_token_type is missing or unknown: send one of ${[...TYPES.keys()].join(', ')}.`

/** The token to exchange, and as what it was sent. */
export const readExchange = (
  fields: ExchangeFields,
): OrRefusal<{ readonly subjectToken: string; readonly type: ExchangedType }> => {
  const { subjectToken, subjectTokenType, requestedTokenType, actorToken, actorTokenType } = fields
  if (subjectToken === undefined) {
    return refuse('invalid_request', 'subject_token is missing: send the token to exchange.')
  }
  const type = TYPES.get(subjectTokenType ?? '')
  if (type === undefined) return refuse('invalid_request', TYPE_UNKNOWN)
  if (requestedTokenType !== undefined && requestedTokenType !== ACCESS_TOKEN_TYPE) {
    return refuse('invalid_request', `requested_token_type is unknown: ${ONLY_TYPE}.`)
  }
  if (actorToken !== undefined || actorTokenType !== undefined) {
    return refuse('invalid_request', 'No actor_token is taken: the actor is the agent that authenticates itself.')
  }
  return { subjectToken, type }
}

/** The assertion of the jwt-bearer grant (RFC 7523 §2.1), as it was sent. */
export const readAssertion = (
  assertion: string | undefined,
): OrRefusal<{ readonly subjectToken: string; readonly type: 'id-jag' }> =>
  assertion === undefined
    ? refuse('invalid_request', 'assertion is missing: send an ID-JAG of a trusted issuer.')
    : { subjectToken: assertion, type: 'id-jag' }
