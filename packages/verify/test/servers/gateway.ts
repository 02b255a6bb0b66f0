// What tests of the gateway process share: the process's server on a port of this one, and requests whose headers are sent as written.
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { makeVerifier } from '../../src/create-verifier.ts'
import { makeConfig } from '../../src/gateway/config.ts'
import { makeGateway } from '../../src/gateway/gateway-server.ts'
import { listen } from '../../src/gateway/listen.ts'
import type { Verifier } from '../../src/verifier.ts'
import { type Runtime, WEB_RUNTIME } from '../../src/wire/runtime.ts'
import { API_KEY, AUDIENCE, type Publisher } from '../publisher.ts'

export type OpenGateway = {
  readonly origin: string
  readonly verifier: Verifier
  readonly beginStop: () => void
  /** Events of the log so far. */
  readonly events: readonly string[]
}

export const argumentsFor = ({ issuer }: Pick<Publisher, 'issuer'>, ...more: readonly string[]): readonly string[] => [
  '--issuer',
  issuer,
  '--audience',
  AUDIENCE,
  '--listen',
  '127.0.0.1:0',
  ...more,
]

/** Mode offline unless the arguments name another one. */
export const openGateway = async (
  t: TestContext,
  publisher: Publisher,
  args: readonly string[] = [],
  runtime: Runtime = WEB_RUNTIME,
): Promise<OpenGateway> => {
  const mode = args.includes('--mode') ? [] : ['--mode', 'offline']
  const config = makeConfig(argumentsFor(publisher, ...mode, ...args), { MINTMARK_VERIFY_API_KEY: API_KEY })
  const verifier = makeVerifier(config.verifier, runtime)
  const events: string[] = []
  const { server, beginStop } = makeGateway({ config, verifier, log: (_level, event) => void events.push(event) })
  const address = await listen(server, config.listen)
  t.after(async () => {
    verifier.close()
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return { origin: `http://${address}`, verifier, beginStop, events }
}

export type Answered = {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  /** The names of all header lines, in small letters and order. */
  readonly names: readonly string[]
  readonly body: string
}

type Sent = { readonly method?: string; readonly body?: string; readonly headers?: readonly string[] }

/** `headers` are names and values by turns. The target is sent as it is written. */
export const ask = async (origin: string, path: string, { method = 'GET', body, headers = [] }: Sent = {}) => {
  const { hostname, port } = new URL(origin)
  const lines = ['Host', 'gateway', ...headers]
  const request = httpRequest({ hostname, port, path, method, headers: lines, agent: false })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const names = response.rawHeaders.filter((_, n) => n % 2 === 0).map(name => name.toLowerCase())
  const answered: Answered = {
    status: response.statusCode,
    headers: response.headers,
    names,
    body: await text(response),
  }
  return answered
}

/** The answer to a check with this token, or with none. */
export const check = (
  origin: string,
  token: string | undefined,
  path = '/check',
  more: readonly string[] = [],
): Promise<Answered> =>
  ask(origin, path, { headers: [...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]), ...more] })

export const statusOf = async (answered: Promise<Answered>): Promise<number | undefined> => (await answered).status
