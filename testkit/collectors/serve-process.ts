// `mintmark serve` as a process of its own, with an agent and an API key: for tests of traces and of the log.
import { request as ask } from 'node:http'
import type { Timing } from '../../server/src/ports/timing.ts'
import {
  freePorts,
  makeFolder,
  run,
  type Running,
  type Scope,
  serveVariables,
  start,
  type Variables,
} from '../commands/run-mintmark.ts'

export type Asked = {
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export type ServeProcess = {
  readonly port: number
  readonly metricsPort: number
  readonly running: Running
  readonly agent: Readonly<Record<'agent_id' | 'client_id' | 'client_secret', string>>
  readonly apiKey: Readonly<Record<'api_key_id' | 'api_key', string>>
  /** Asks on a connection of its own. */
  readonly ask: (path: string, asked?: Asked) => Promise<Answered>
  readonly issue: (headers?: Readonly<Record<string, string>>) => Promise<string>
}

const askAt =
  (port: number) =>
  (path: string, { form, headers = {}, method = form === undefined ? 'GET' : 'POST' }: Asked = {}): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const body = form === undefined ? undefined : new URLSearchParams(form).toString()
      const type =
        body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
      const sent = ask(
        { host: '127.0.0.1', port, path, method, agent: false, headers: { ...type, ...headers } },
        response => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })

/** `variables` beside those that `serve` needs; one serving thread unless they say so. `timing`: instead of waits of production. */
export const startTraced = async (t: Scope, variables: Variables, timing?: Partial<Timing>): Promise<ServeProcess> => {
  const [port, metricsPort] = await freePorts()
  const folder = makeFolder(t)
  const own: Variables = {
    ...serveVariables(port),
    MINTMARK_DATA_DIR: folder,
    MINTMARK_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    ...variables,
  }
  const migrated = run(folder, ['migrate'], own)
  if (migrated.status !== 0) throw new Error(migrated.stderr)
  const made = (...args: readonly string[]): unknown => JSON.parse(run(folder, [...args, '--json'], own).stdout)
  const agent = made(
    'agent',
    'create',
    '--name',
    'traced',
    '--scope',
    'a:b',
    '--default-scope',
    'a:b',
  ) as ServeProcess['agent']
  const apiKey = made('api-key', 'create', '--name', 'k', '--permission', 'tokens:introspect') as ServeProcess['apiKey']
  const ready = /Mintmark serves/
  const running = await start(t, folder, { args: ['serve'], variables: own, ready, ...(timing && { timing }) })
  const asked = askAt(port)
  const { client_id, client_secret } = agent
  const issue = async (headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const form = { grant_type: 'client_credentials', client_id, client_secret }
    const { status, body } = await asked('/oauth/token', { form, headers })
    if (status !== 200) throw new Error(body)
    return (JSON.parse(body) as { readonly access_token: string }).access_token
  }
  return { port, metricsPort, running, agent, apiKey, ask: asked, issue }
}
