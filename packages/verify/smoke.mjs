// What the installed package must do in every runtime: npm run check:packages calls this in each. It throws what failed.
import { createVerifier } from '@mintmark/verify'
import { requireToken as forExpress } from '@mintmark/verify/express'
import { requireToken as forFastify } from '@mintmark/verify/fastify'
import { protect } from '@mintmark/verify/fetch'
import { requireToken as forHono } from '@mintmark/verify/hono'
import { mcpTokenVerifier, requireMcpToken } from '@mintmark/verify/mcp'

const expect = (isSo, what) => {
  if (!isSo) throw new Error(`Not so: ${what}`)
}

for (const adapter of [forExpress, forFastify, forHono, mcpTokenVerifier, requireMcpToken]) {
  expect(typeof adapter === 'function', 'each adapter is there')
}

const getToken = async ({ issuer, clientId, clientSecret }) => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const response = await fetch(`${issuer}/oauth/token`, { method: 'POST', body })
  expect(response.status === 200, `a token is issued: ${response.status}`)
  return (await response.json()).access_token
}

export const smoke = async given => {
  const { issuer, operatorJwt, apiKey } = given
  const token = await getToken(given)
  const audience = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).aud
  const verifier = createVerifier({ issuer, audience, apiKey, whenStale: 'refuse' })
  const status = await verifier.ready()
  expect(status.isFresh, `the feed is followed: ${status.lastFailure?.problem}`)
  const accepted = await verifier.verify(token)
  expect(accepted.ok && accepted.by === 'feed', `a token is accepted by the feed: ${accepted.refusal}`)
  expect(!(await verifier.verify(`${token}x`)).ok, 'another text is refused')

  const handler = protect(verifier, (_request, { claims }) => new Response(claims.sub))
  const ask = headers => handler(new Request('https://api.example/', { headers }))
  expect((await ask({})).status === 401, 'a request without a token is refused')
  expect((await ask({ authorization: `Bearer ${token}` })).status === 200, 'a request with the token is answered')

  const { jti } = accepted.claims
  const headers = { authorization: `Bearer ${operatorJwt}`, 'content-type': 'application/json' }
  const revoked = await fetch(`${issuer}/api/v1/tokens/${jti}/revoke`, { method: 'POST', headers, body: '{}' })
  expect(revoked.ok, `the token is revoked: ${revoked.status}`)
  const deadline = Date.now() + 5000
  let last = await verifier.verify(token)
  while (last.ok && Date.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 10))
    last = await verifier.verify(token)
  }
  expect(!last.ok && last.refusal === 'revoked', `the feed ends it: ${last.refusal}`)
  verifier.close()
}
