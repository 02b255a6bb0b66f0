// An API on Fastify: reading orders needs the scope db:read, adding one needs db:write.
import { hostname } from 'node:os'
import { createVerifier } from '@mintmark/verify'
import { protectedResource, requireToken, tokenOf } from '@mintmark/verify/fastify'
import { fastify } from 'fastify'

const { BASE_URL = '', ADMIN_API_KEY = '', PORT = '3002' } = process.env
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
const canRead = requireToken(verifier, { scopes: ['db:read'] })
const canWrite = requireToken(verifier, { scopes: ['db:write'] })
const app = fastify({ forceCloseConnections: true })
await app.register(protectedResource(verifier, { scopes_supported: ['db:read', 'db:write'] }))
app.get('/orders', { onRequest: canRead }, async request => ({
  orders,
  caller: tokenOf(request).claims.sub,
}))
app.post('/orders', { onRequest: canWrite }, async (_request, reply) => {
  reply.code(201)
  return { count: orders.push('tea') }
})

await verifier.ready()
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Listening on ${verifier.resource.audience}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    verifier.close()
    void app.close()
  })
}
