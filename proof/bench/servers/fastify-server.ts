// A program: a bare Fastify server, to be measured against. Its only argument is JSON, a FastifyTask.
import { generateKeyPairSync, sign } from 'node:crypto'
import { parse } from 'node:querystring'
import type { AddressInfo } from 'node:net'
import { fastify, type FastifyReply } from 'fastify'

export type FastifyTask = {
  /** Headers of each answer beside Fastify's own, so that an exchange has the bytes of another. */
  readonly headers: Readonly<Record<string, string>>
  /** `fixed`: this text. `signed`: a signature over this text in each handler, in an answer as a token endpoint gives. */
  readonly answer: { readonly kind: 'fixed'; readonly body: string } | SignedAnswer
}

type SignedAnswer = { readonly kind: 'signed'; readonly signingInput: string; readonly rest: object }

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const

const signedBody = ({ signingInput, rest }: SignedAnswer): string => {
  const signature = sign('sha256', Buffer.from(signingInput), key).toString('base64url')
  return JSON.stringify({ access_token: `${signingInput}.${signature}`, ...rest })
}

const task = JSON.parse(process.argv[2] ?? '') as FastifyTask // written by contestants.ts from the same type
const { headers, answer } = task
const app = fastify({ logger: false })
app.removeAllContentTypeParsers()
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
  done(null, parse(String(body)))
})
app.post('/*', (_request, reply): FastifyReply => {
  if (Object.keys(headers).length > 0) void reply.headers(headers)
  return reply.send(answer.kind === 'fixed' ? answer.body : signedBody(answer))
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`ready on ${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
