// How long a start takes: `mintmark dev` on an empty folder, and `mintmark serve` on stores of two sizes, to first token.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../../testkit/processes/end-child.ts'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { askOnce } from './connection.ts'
import { formatTable, median, publish } from './figures.ts'
import { fillStore } from '../../testkit/stores/fill-store.ts'
import { describeMachine } from './machine.ts'
import { issueRequest, tokenIn } from './mintmark-loads.ts'
import { install, type Installation } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { runBench } from './run-bench.ts'
import { freePort } from '../../testkit/processes/free-port.ts'
import { makeFolder, removeFolder, serverEnvironment, type Variables } from './servers/server-process.ts'

const options = readOptions({ starts: 5, tokens: 1_000_000, record: false })

const PROGRAM = resolve(import.meta.dirname, '../../server/dist/main.js')
const TRY_EACH_MS = 2
const GIVE_UP_MS = 60_000
/** A start waits out what is left of the clock's lease of the process before; that is not what is measured here. */
const LEASE_MS = 1200

type Agent = Installation['agent']

/** The demo agent that `mintmark dev` writes down before it opens its port; undefined until then. */
const demoAgent = (folder: string): Agent | undefined => {
  try {
    const text = readFileSync(join(folder, 'dev.env'), 'utf8')
    const value = (name: string): string => new RegExp(`^export ${name}='?([^'\\n]*)`, 'm').exec(text)?.[1] ?? ''
    return { agent_id: value('AGENT_ID'), client_id: value('CLIENT_ID'), client_secret: value('CLIENT_SECRET') }
  } catch {
    return undefined
  }
}

const tryToken = async (port: number, agent: Agent | undefined): Promise<boolean> => {
  if (agent === undefined) return false
  const request = issueRequest({ agent }).replace('host: 127.0.0.1', `host: 127.0.0.1:${port}`)
  const answer = await askOnce(port, request).catch(() => undefined)
  return answer !== undefined && tokenIn(answer) !== ''
}

type Start = { readonly command: string; readonly variables: Variables; readonly port: number }

/** Milliseconds from the start of the process to the first token in hand. */
const timeStart = async ({ command, variables, port }: Start, agent: () => Agent | undefined): Promise<number> => {
  const env = serverEnvironment(variables)
  const started = performance.now()
  const child = spawn(process.execPath, [PROGRAM, command], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    while (!(await tryToken(port, agent()))) {
      if (child.exitCode !== null) throw new Error(`mintmark ${command} ended with ${child.exitCode}.`)
      if (performance.now() - started > GIVE_UP_MS) throw new Error(`mintmark ${command} gave no token.`)
      await delay(TRY_EACH_MS)
    }
    return performance.now() - started
  } finally {
    await endChild(child, 'SIGTERM')
  }
}

const timeDev = async (): Promise<number> => {
  const folder = makeFolder()
  try {
    const [port, providerPort] = [await freePort(), await freePort()]
    const ports = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) }
    return await timeStart({ command: 'dev', variables: { ...ports, MINTMARK_DATA_DIR: folder }, port }, () =>
      demoAgent(folder),
    )
  } finally {
    removeFolder(folder)
  }
}

const timeServe = ({ variables, port, agent }: Installation): Promise<number> =>
  timeStart({ command: 'serve', variables, port }, () => agent)

const repeat = async (start: () => Promise<number>): Promise<readonly number[]> => {
  const times: number[] = []
  for (let n = 0; n < options.starts; n += 1) {
    await delay(LEASE_MS)
    times.push(await start())
  }
  return times
}

const run = async (): Promise<void> => {
  await using started = new AsyncDisposableStack()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const empty = started.adopt(await install(provider), one => one.remove())
  const full = started.adopt(await install(provider), one => one.remove())
  fillStore(full, { live: options.tokens, ended: 0, samples: 0 })
  const measured = [
    ['dev, empty folder', await repeat(timeDev)],
    ['serve, no tokens', await repeat(() => timeServe(empty))],
    [`serve, ${options.tokens.toLocaleString('en')} tokens`, await repeat(() => timeServe(full))],
  ] as const
  const rows = measured.map(([name, times]) => [name, median(times), Math.min(...times), Math.max(...times)])
  const table = formatTable(['start to first token', 'median ms', 'least', 'most'], rows)
  const facts = [...describeMachine(null).filter(fact => !fact.startsWith('cores:')), `${options.starts} starts each`]
  publish({ title: 'Start', facts, tables: [table] }, options.record)
}

await runBench(options, run)
