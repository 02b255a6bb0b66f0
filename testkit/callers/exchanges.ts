// Token exchanges (RFC 8693) as a client asks for them.
import assert from 'node:assert/strict'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import { type Answer, postForm } from './requests.ts'
import type { AgentOfTest, TestServer } from '../services/test-server.ts'

type Fields = Readonly<Record<string, string>>

export const exchangeFields = (subjectToken: string): Fields => ({
  grant_type: TOKEN_EXCHANGE,
  subject_token: subjectToken,
  subject_token_type: ACCESS_TOKEN_TYPE,
})

/** Requests an exchange, authenticated by the secret of the agent. */
export const askExchange = (
  service: TestServer,
  { clientId, clientSecret }: AgentOfTest,
  subjectToken: string,
  fields: Fields = {},
): Promise<Answer> =>
  postForm(service, '/oauth/token', {
    ...exchangeFields(subjectToken),
    client_id: clientId,
    client_secret: clientSecret,
    ...fields,
  })

/** The new token, or the test fails. */
export const exchange = async (...asked: Parameters<typeof askExchange>): Promise<string> => {
  const answer = await askExchange(...asked)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { access_token: string }).access_token
}
