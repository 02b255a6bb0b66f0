// Runs the worker in Node, with its bindings from the environment.
import { hostname } from 'node:os'
import { serve } from '@hono/node-server'
import worker, { type Bindings } from './worker.ts'

const { BASE_URL = '', ADMIN_API_KEY = '', PORT = '3003' } = process.env
const HOST = '127.0.0.1'
const bindings: Bindings = {
  ISSUER: BASE_URL,
  AUDIENCE: `http://${HOST}:${PORT}`,
  API_KEY: ADMIN_API_KEY,
  MODE: 'feed',
  NAME: `orders-${hostname()}-${process.pid}`,
}

serve({ fetch: request => worker.fetch(request, bindings), hostname: HOST, port: Number(PORT) }, () =>
  console.log(`Listening on ${bindings.AUDIENCE}`),
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit())
