// The servers that are measured beside Mintmark, in the same run: what an exchange costs at the least, and a rival.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Answer, askOnce, formRequest } from '../connection.ts'
import type { FastifyTask } from './fastify-server.ts'
import { type Load, UnexpectedAnswer } from '../load.ts'
import type { Cores } from '../machine.ts'
import { introspectRequest, issueRequest, takeActive, tokenIn } from '../mintmark-loads.ts'
import type { MintmarkServer } from './mintmark-server.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export const CONTESTANTS = ['bare POST', 'introspection bytes', 'signing POST', 'node-oidc-provider'] as const

type ContestantName = (typeof CONTESTANTS)[number]

type Contestant = { readonly load: Load; readonly stop: () => Promise<void> }

/** Answers of Mintmark that others imitate to the byte, and the requests that led to them. */
type Models = Readonly<Record<'issue' | 'introspect', { readonly request: string; readonly answer: Answer }>>

const OWN_HEADERS = new Set(['content-length', 'date', 'connection', 'keep-alive'])

/** The headers that Fastify and Node do not write by themselves. */
const headersOf = ({ head }: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const)
      .filter(([name]) => !OWN_HEADERS.has(name)),
  )

export const readModels = async (server: MintmarkServer): Promise<Models> => {
  const issuing = issueRequest(server)
  const issued = await askOnce(server.port, issuing)
  const asking = introspectRequest(server, tokenIn(issued))
  const introspected = await askOnce(server.port, asking)
  takeActive(introspected)
  return { issue: { request: issuing, answer: issued }, introspect: { request: asking, answer: introspected } }
}

type Imitation = { readonly request: string; readonly task: FastifyTask; readonly model: Answer | null }

const imitate = ({
  issue,
  introspect,
}: Models): Readonly<Record<Exclude<ContestantName, 'node-oidc-provider'>, Imitation>> => {
  const { access_token, ...rest } = JSON.parse(issue.answer.body) as { access_token: string } // tokenIn() read it
  const signingInput = access_token.slice(0, access_token.lastIndexOf('.'))
  const json = { 'content-type': 'application/json; charset=utf-8' }
  return {
    'bare POST': {
      request: issue.request,
      task: { headers: json, answer: { kind: 'fixed', body: '{"ok":true}' } },
      model: null,
    },
    'introspection bytes': {
      request: introspect.request,
      task: { headers: headersOf(introspect.answer), answer: { kind: 'fixed', body: introspect.answer.body } },
      model: introspect.answer,
    },
    'signing POST': {
      request: issue.request,
      task: { headers: headersOf(issue.answer), answer: { kind: 'signed', signingInput, rest } },
      model: issue.answer,
    },
  }
}

const startProgram = async (
  file: string,
  argument: string,
  cores: Cores,
): Promise<ServerProcess & { port: number }> => {
  const args = [resolve(import.meta.dirname, file), argument]
  const server = await startServer({ args, ready: /ready on \d+\n/, cores })
  return { ...server, port: Number(/ready on (\d+)/.exec(server.printed)?.[1]) }
}

const sizeOf = ({ head, body }: Answer): number => head.length + body.length

// An imitation of another size would measure another exchange.
const checkSize = (name: string, answer: Answer, model: Answer | null): void => {
  if (model !== null && sizeOf(answer) !== sizeOf(model)) {
    throw new Error(
      `${name} answers ${sizeOf(answer)} bytes, Mintmark ${sizeOf(model)}:\n${answer.head}\n${model.head}`,
    )
  }
}

const startFastify = async (name: string, imitation: Imitation, cores: Cores): Promise<Contestant> => {
  const { request, task, model } = imitation
  const { port, pid, stop } = await startProgram('fastify-server.ts', JSON.stringify(task), cores)
  const first = await askOnce(port, request)
  checkSize(name, first, model)
  const take = (answer: Answer): void => {
    if (answer.status !== 200 || answer.body.length !== first.body.length) throw new UnexpectedAnswer(name, answer)
  }
  take(first)
  return { load: { port, pid, next: () => request, take }, stop }
}

const takeJwt = (answer: Answer): void => {
  if (tokenIn(answer).split('.').length !== 3) throw new UnexpectedAnswer('node-oidc-provider', answer)
}

const startOidcProvider = async (cores: Cores): Promise<Contestant> => {
  const secret = randomBytes(32).toString('base64url')
  const { port, pid, stop } = await startProgram('oidc-server.ts', secret, cores)
  const fields = { grant_type: 'client_credentials', client_id: 'bench', client_secret: secret, scope: 'db:read' }
  const request = formRequest('/token', new URLSearchParams(fields).toString())
  takeJwt(await askOnce(port, request))
  return { load: { port, pid, next: () => request, take: takeJwt }, stop }
}

export const startContestant = (name: ContestantName, models: Models, cores: Cores): Promise<Contestant> =>
  name === 'node-oidc-provider' ? startOidcProvider(cores) : startFastify(name, imitate(models)[name], cores)
