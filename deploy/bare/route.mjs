// An API with one route, for tokens that carry the scope db:read.
import { hostname } from 'node:os'
import { createVerifier } from '@mintmark/verify'
import { protectedResource, requireToken, tokenOf } from '@mintmark/verify/express'
import express from 'express'

const { BASE_URL: issuer, ADMIN_API_KEY: apiKey } = process.env
// How operators see this process: one of its own for each.
const name = `orders-${hostname()}-${process.pid}`
const verifier = createVerifier({ issuer, audience: 'http://127.0.0.1:3001', apiKey, name })
await verifier.ready()

const app = express()
app.use(protectedResource(verifier))
app.get('/orders', requireToken(verifier, { scopes: ['db:read'] }), (request, response) => {
  response.json({ caller: tokenOf(request).claims.sub })
})
app.listen(3001, '127.0.0.1', problem => {
  // Express calls with the error too, as of a port that is in use.
  if (problem !== undefined) throw problem
  console.log('Orders on http://127.0.0.1:3001/orders')
})
