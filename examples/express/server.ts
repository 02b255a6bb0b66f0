// An API on Express: reading orders needs the scope db:read, adding one needs db:write.
import { hostname } from 'node:os'
import { createVerifier } from '@mintmark/verify'
import { protectedResource, requireToken, tokenOf } from '@mintmark/verify/express'
import express from 'express'

const { BASE_URL = '', ADMIN_API_KEY = '', PORT = '3001' } = process.env
const HOST = '127.0.0.1'

// The verifier follows the revocation feed. If it hears nothing for 5 s, it asks the service about each token.
const verifier = createVerifier({
  issuer: BASE_URL,
  audience: `http://${HOST}:${PORT}`,
  apiKey: ADMIN_API_KEY,
  maxStaleness: 5,
  // How operators see this process: one of its own for each.
  name: `orders-${hostname()}-${process.pid}`,
  hooks: { failed: problem => console.error(problem) },
})

const orders = ['tea']
const app = express()
// Express shows callers where an error was thrown, unless this is so.
app.set('env', 'production')
app.use(protectedResource(verifier, { scopes_supported: ['db:read', 'db:write'] }))
app.get('/orders', requireToken(verifier, { scopes: ['db:read'] }), (request, response) => {
  response.json({ orders, caller: tokenOf(request).claims.sub })
})
app.post('/orders', requireToken(verifier, { scopes: ['db:write'] }), (_request, response) => {
  response.status(201).json({ count: orders.push('tea') })
})

await verifier.ready()
const server = app.listen(Number(PORT), HOST, problem => {
  // Express calls with the error too, as of a port that is in use.
  if (problem !== undefined) throw problem
  console.log(`Listening on ${verifier.resource.audience}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    verifier.close()
    server.close()
    server.closeAllConnections()
  })
}
