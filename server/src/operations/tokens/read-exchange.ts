// The fields of a token exchange (RFC 8693 §2.1), and what of them this service takes: an access token of its own.
import { ACCESS_TOKEN_TYPE } from '../../../../api/values/delegation.ts'
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

/** The token to exchange, as it was sent. */
export const readExchange = (fields: ExchangeFields): OrRefusal<{ readonly subjectToken: string }> => {
  const { subjectToken, subjectTokenType, requestedTokenType, actorToken, actorTokenType } = fields
  if (subjectToken === undefined) {
    return refuse('invalid_request', 'subject_token is missing: send the access token to exchange.')
  }
  if (subjectTokenType !== ACCESS_TOKEN_TYPE) {
    return refuse('invalid_request', `subject_token_type is missing or unknown: ${ONLY_TYPE}.`)
  }
  if (requestedTokenType !== undefined && requestedTokenType !== ACCESS_TOKEN_TYPE) {
    return refuse('invalid_request', `requested_token_type is unknown: ${ONLY_TYPE}.`)
  }
  if (actorToken !== undefined || actorTokenType !== undefined) {
    return refuse('invalid_request', 'No actor_token is taken: the actor is the agent that authenticates itself.')
  }
  return { subjectToken }
}
