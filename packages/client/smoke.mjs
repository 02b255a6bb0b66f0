// What the installed package must do in every runtime: npm run check:packages calls this in each. It throws what failed.
import { AccessToken, createAdministration, createTokenSource, TokenRefused, TokenUnavailable } from '@mintmark/client'

const expect = (isSo, what) => {
  if (!isSo) throw new Error(`Not so: ${what}`)
}

const outcomeOf = async promise => {
  try {
    return await promise
  } catch (error) {
    return error
  }
}

const claimsOf = token => JSON.parse(atob(token.value.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))

const getTokens = async ({ issuer, clientId, clientSecret, clientSecretFile, privateKey, privateKeyFile }) => {
  const source = createTokenSource({ issuer, clientId, clientSecret, scopes: ['db:read'] })
  const [token, same] = await Promise.all([source.getToken(), source.getToken()])
  expect(token instanceof AccessToken && same === token, 'callers at once share one token')
  expect(claimsOf(token).scope === 'db:read', 'the token has its scope')
  for (const text of [JSON.stringify({ token }), String(token)]) {
    expect(!text.includes(token.value), 'a token does not print itself')
  }
  console.log(token, { token }, [token], source)

  const answer = await source.fetch(`${issuer}/livez`, { method: 'GET' })
  expect(answer.status === 200, 'a request with the token is answered')
  expect((await answer.json()).status === 'ok', 'its answer is read')

  // Where there are no files, as in a worker, none is named.
  const credentials = [{ privateKey }, { clientSecretFile }, { privateKeyFile }]
  for (const options of credentials.filter(one => Object.values(one)[0] !== undefined)) {
    const other = await createTokenSource({ issuer, clientId, ...options }).getToken()
    expect(claimsOf(other).client_id === clientId, `a token by ${Object.keys(options).join()}`)
  }
  return token
}

const beRefused = async ({ issuer, clientId, clientSecret }) => {
  const bound = await createTokenSource({ issuer, clientId, clientSecret, dpop: true }).getToken()
  expect(
    bound.type === 'DPoP' && typeof claimsOf(bound).cnf.jkt === 'string',
    'a bound token, with the nonce that was demanded',
  )

  const refused = await outcomeOf(createTokenSource({ issuer, clientId, clientSecret: 'mmc_wrong' }).getToken())
  expect(refused instanceof TokenRefused && refused.error === 'invalid_client', 'a wrong secret is refused')

  const away = createTokenSource({ tokenEndpoint: 'http://127.0.0.1:9/', clientId, clientSecret })
  const unavailable = await outcomeOf(away.getToken())
  expect(unavailable instanceof TokenUnavailable, `a server that is away: ${unavailable}`)

  const gaveUp = await outcomeOf(
    createTokenSource({ issuer, clientId, clientSecret }).getToken({ signal: AbortSignal.abort(new Error('enough')) }),
  )
  expect(gaveUp.message === 'enough', 'a caller may give up')
}

const administer = async ({ issuer, operatorJwt, agentId }, token) => {
  const administration = createAdministration({ url: issuer, operatorJwt })
  const listed = []
  for await (const { agent_id } of administration.listAgents({ query: { limit: 1 } })) listed.push(agent_id)
  expect(listed.includes(agentId), 'a list is read to its end')
  const tokens = []
  for await (const { id } of administration.exportTokens({ query: { agent_id: agentId } })) tokens.push(id)
  expect(tokens.includes(claimsOf(token).jti), 'an export is read to its end')
}

export const smoke = async given => {
  const token = await getTokens(given)
  await beRefused(given)
  await administer(given, token)
}
