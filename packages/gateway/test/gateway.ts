// What tests of the gateway process share: the process's server on a port of this one, and checks that are asked of it.
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { makeVerifier } from '../../verify/src/create-verifier.ts'
import { makeConfig } from '../src/config.ts'
import { makeGateway } from '../src/gateway-server.ts'
import { listen } from '../src/listen.ts'
import type { Verifier } from '../../verify/src/verifier.ts'
import { type Runtime, WEB_RUNTIME } from '../../verify/src/wire/runtime.ts'
import { API_KEY, AUDIENCE, type Publisher } from '../../../testkit/feed/reference-publisher.ts'
import { type Answered, ask } from '../../verify/test/servers/ask.ts'

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

/** The answer to a check with this token, or with none. */
export const check = (
  origin: string,
  token: string | undefined,
  path = '/check',
  more: readonly string[] = [],
): Promise<Answered> =>
  ask(origin, path, { headers: [...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]), ...more] })
