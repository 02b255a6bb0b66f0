// A program: a bare Fastify handler, which answers every request with a fixed body of the size that its path has. What it
// does under a load is what the machine, the load generator and the framework cost. Its only argument is JSON, a BareTask.
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'

/** Bytes of the answers, by path; any other path has `otherBytes`. */
export type BareTask = { readonly bytes: Readonly<Record<string, number>>; readonly otherBytes: number }

const task = JSON.parse(process.argv[2] ?? '') as BareTask // written from the same type by its starter
const bodies = new Map(Object.entries(task.bytes).map(([path, bytes]) => [path, 'x'.repeat(bytes)]))
const otherBody = 'x'.repeat(task.otherBytes)

const app = fastify({ logger: false })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
app.all('/*', (request, reply) => reply.send(bodies.get(request.url) ?? otherBody))
await app.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
process.stdout.write(`ready on ${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
