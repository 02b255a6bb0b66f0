// node proof/bench/files/files.ts: in how many files of ours code runs for one warm request of each hot kind, and for one local command.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { askOnce } from '../connection.ts'
import { formatTable, publish } from '../figures.ts'
import { UnexpectedAnswer } from '../load.ts'
import { describeMachine } from '../machine.ts'
import { introspectRequest, issueRequest, revokeRequest, takeActive, takeRevoked, tokenIn } from '../mintmark-loads.ts'
import { readOptions } from '../../options.ts'
import { runBench } from '../run-bench.ts'
import { makeFolder, serverEnvironment } from '../servers/server-process.ts'
import { install, type Installation, serve } from '../servers/mintmark-server.ts'
import { filesThatRan } from './watch-thread.ts'

const options = readOptions({ tree: resolve(import.meta.dirname, '../../..'), repeats: 9, list: false, record: false })

/** Requests of each kind before the first that counts. */
const WARMUPS = 15
const SETTLED_MS = 60
const ANSWERED_MS_MAX = 10_000

type Files = ReadonlySet<string>

/** Asks every thread of the service, and returns where code ran since it was asked last. */
const makeRounds = (folder: string) => {
  let round = 0
  const threads = () => readdirSync(folder).filter(name => name.endsWith('.start.json')).length
  const answers = () => readdirSync(folder).filter(name => name.endsWith(`.${round}.json`))
  return async (): Promise<Files> => {
    round += 1
    writeFileSync(join(folder, 'next'), String(round))
    renameSync(join(folder, 'next'), join(folder, 'round'))
    const until = performance.now() + ANSWERED_MS_MAX
    while (answers().length < threads()) {
      if (performance.now() > until) throw new Error(`${answers().length} of ${threads()} threads answered.`)
      await delay(SETTLED_MS)
    }
    await delay(SETTLED_MS) // for the last of them to be whole
    return new Set(answers().flatMap(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]))
  }
}

const readHistory = async ({ baseUrl, apiKey }: Installation): Promise<void> => {
  const answer = await fetch(`${baseUrl}/api/v1/tokens/history?limit=50`, { headers: { 'x-api-key': apiKey } })
  const body = await answer.text()
  if (answer.status !== 200) throw new UnexpectedAnswer('A page', { status: answer.status, head: '', body })
}

const makeRequests = (server: Installation) => {
  const { port } = server
  const tokens: string[] = []
  const issue = async () => void tokens.push(tokenIn(await askOnce(port, issueRequest(server))))
  return {
    issue,
    introspect: async () => takeActive(await askOnce(port, introspectRequest(server, tokens.at(-1) ?? ''))),
    revoke: async () => takeRevoked(await askOnce(port, revokeRequest(server, tokens.pop() ?? ''))),
    'history page': () => readHistory(server),
  }
}

/** Returns the files of every one of the repeats: what a timer runs now and then is in few of them. */
const filesOf = async (collect: () => Promise<Files>, request: () => Promise<void>): Promise<Files> => {
  let common: Files | undefined
  for (let n = 0; n < options.repeats; n += 1) {
    await collect()
    await request()
    await delay(SETTLED_MS)
    const ran = await collect()
    common = common === undefined ? ran : new Set([...common].filter(file => ran.has(file)))
  }
  return common ?? new Set()
}

const measureRequests = async (installation: Installation): Promise<ReadonlyMap<string, Files>> => {
  const folder = makeFolder()
  const watched = pathToFileURL(join(import.meta.dirname, 'watch-thread.ts')).href
  const server = await serve(installation, {
    cores: null,
    nodeOptions: ['--import', watched],
    variables: { FILES_FOLDER: folder, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  try {
    const collect = makeRounds(folder)
    const requests = makeRequests(server)
    // More tokens than are revoked.
    for (let n = 0; n < options.repeats; n += 1) await requests.issue()
    for (let n = 0; n < WARMUPS; n += 1) for (const request of Object.values(requests)) await request()
    const measured = new Map<string, Files>()
    for (const [name, request] of Object.entries(requests)) measured.set(name, await filesOf(collect, request))
    return measured
  } finally {
    await server.stop()
  }
}

/** `mintmark agent disable` on the store of this machine, which nothing serves. */
const measureCommand = ({ program, variables, agent }: Installation): Files => {
  const folder = makeFolder()
  const env = { ...serverEnvironment(variables), NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' }
  const args = [program, 'agent', 'disable', agent.agent_id, '--yes']
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`mintmark agent disable ended with ${status}: ${stderr}`)
  const written = readdirSync(folder).map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Written)
  return new Set(written.flatMap(({ result }) => filesThatRan(result)))
}

type Written = { readonly result: Parameters<typeof filesThatRan>[0] }

/** `server/src/http/…` is of `http`. */
const layerOf = (file: string): string => {
  const [top = '', , layer = ''] = file.split('/')
  return top === 'server' ? layer.replace(/\.ts$/, '') : top
}

const tableOf = (measured: ReadonlyMap<string, Files>): string => {
  const layers = new Set([...measured.values()].flatMap(files => [...files].map(layerOf)))
  const rows = [...layers]
    .toSorted()
    .map(layer => [
      layer,
      ...[...measured.values()].map(files => String([...files].filter(file => layerOf(file) === layer).length)),
    ])
  return formatTable(
    ['layer', ...measured.keys()],
    [...rows, ['all', ...[...measured.values()].map(files => String(files.size))]],
  )
}

const run = async (): Promise<void> => {
  await using started = new AsyncDisposableStack()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const program = join(resolve(options.tree), 'server/src/main.ts')
  const installation = started.adopt(await install(provider, 1, {}, program), one => one.remove())
  const requests = await measureRequests(installation)
  const measured = new Map([...requests, ['agent disable', measureCommand(installation)]])
  const lists = [...measured].map(([name, files]) => [`${name}:`, ...[...files].toSorted()].join('\n  '))
  publish(
    {
      title: 'Files of an operation',
      facts: describeMachine(null).filter(fact => !fact.startsWith('cores:')),
      tables: [tableOf(measured), ...(options.list ? lists : [])],
    },
    options.record,
  )
}

await runBench(options, run)
