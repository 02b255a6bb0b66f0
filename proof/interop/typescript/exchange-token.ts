// Exchanges a token that was received for one to send on (RFC 8693): it names who asked and who acts, and ends with the first.

export type Exchanger = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

export const exchangeToken = async (
  { issuer, clientId, clientSecret }: Exchanger,
  received: string,
  resource: URL,
): Promise<string> => {
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: EXCHANGE,
      client_id: clientId,
      client_secret: clientSecret,
      subject_token: received,
      subject_token_type: ACCESS_TOKEN,
      resource: resource.href,
    }),
  })
  const answer = (await response.json()) as { readonly access_token?: string; readonly error?: string }
  if (answer.access_token === undefined) throw new Error(`The token was not exchanged: ${answer.error}`)
  return answer.access_token
}
