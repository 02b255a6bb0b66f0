// An agent that calls an API: its token is fetched with the first call, kept, renewed in time, and replaced once where the API refuses it.
import { createTokenSource, TokenRefused } from '@mintmark/client'

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', API_URL = 'http://127.0.0.1:3001' } = process.env

const credentials = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
const agent = createTokenSource({ issuer: BASE_URL, ...credentials, scopes: ['db:read'], resource: API_URL })
try {
  const response = await agent.fetch(`${API_URL}/orders`)
  console.log(response.status, await response.text())
} catch (error) {
  if (!(error instanceof TokenRefused)) throw error
  console.error(`${error.message} Check the agent and its secret: npx mintmark agent show ${CLIENT_ID}`)
  process.exitCode = 1
}
