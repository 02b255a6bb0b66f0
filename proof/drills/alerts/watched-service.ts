// A service whose metrics Prometheus scrapes, an agent of it, and what causes need to misuse both.
import { setTimeout as delay } from 'node:timers/promises'
import { postForm } from '../../../testkit/services/fetch-described.ts'
import {
  freePorts,
  makeFolder,
  run,
  type Running,
  type Scope,
  serveVariables,
  start,
  type Variables,
} from '../../../testkit/commands/run-mintmark.ts'

const APART_MS = 20

export type Agent = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }

export type WatchedService = {
  readonly folder: string
  readonly file: string
  readonly port: number
  readonly metricsPort: number
  readonly url: string
  readonly running: Running
  readonly json: (...args: readonly string[]) => unknown
  readonly agent: Agent
  /** Asks for a token of the agent; the status of the response, 0 where there is none. */
  readonly issue: (changes?: Readonly<Record<string, string>>) => Promise<number>
  /** Keeps so many callers busy with `work` until the signal. */
  readonly busy: (callers: number, work: () => Promise<unknown>) => void
}

/** Ends what a cause has started, once the alert was seen. */
export type Causing = { readonly scope: Scope; readonly signal: AbortSignal }

const keepBusy = async (work: () => Promise<unknown>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await delay(APART_MS)
  }
}

export const startWatched = async (
  { scope, signal }: Causing,
  variables: (folder: string, port: number) => Variables = () => ({}),
): Promise<WatchedService> => {
  const folder = makeFolder(scope)
  const [port, metricsPort] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const metrics = {
    MINTMARK_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    MINTMARK_WORKERS: '2',
    MINTMARK_DRAIN_SECONDS: '0',
  }
  const all = { ...serveVariables(port), ...metrics, ...variables(folder, port) }
  const json = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], all)
    if (status !== 0) throw new Error(`mintmark ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const migrated = run(folder, ['migrate'], all)
  if (migrated.status !== 0) throw new Error(migrated.stderr)
  const agent = json('agent', 'create', '--name', 'watched', '--scope', 'a:b', '--default-scope', 'a:b') as Agent
  const running = await start(scope, folder, { args: ['serve'], variables: all, ready: /another audience\.\n/ })
  const { client_id, client_secret } = agent
  const issue = async (changes: Readonly<Record<string, string>> = {}): Promise<number> => {
    const fields = { grant_type: 'client_credentials', client_id, client_secret, ...changes }
    const response = await postForm(`${url}/oauth/token`, fields)
    await response.arrayBuffer()
    return response.status
  }
  const busy = (callers: number, work: () => Promise<unknown>): void => {
    for (let n = 0; n < callers; n += 1) void keepBusy(work, signal)
  }
  const file = `${folder}/.mintmark/mintmark.db`
  return { folder, file, port, metricsPort, url, running, json, agent, issue, busy }
}
