// An API with one route, for tokens that carry the scope db:read.
import { createVerifier } from '@mintmark/verify'
import { protectedResource, requireToken, tokenOf } from '@mintmark/verify/express'
import express from 'express'

const { BASE_URL: issuer, ADMIN_API_KEY: apiKey } = process.env
const verifier = createVerifier({ issuer, audience: 'http://127.0.0.1:3001', apiKey })
await verifier.ready()

const app = express()
app.use(protectedResource(verifier))
app.get('/orders', requireToken(verifier, { scopes: ['db:read'] }), (request, response) => {
  response.json({ caller: tokenOf(request).claims.sub })
})
app.listen(3001, '127.0.0.1', () => console.log('Orders on http://127.0.0.1:3001/orders'))
