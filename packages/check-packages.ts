// npm run check:packages: each package, installed from its tarball, is typed as it says, and does its work in every runtime
// that npm brings.
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerKeys } from '../testkit/keys/client-assertions.ts'
import { checkConsumer } from '../testkit/packages/consumer.ts'
import { declarationsWithAny } from '../testkit/packages/declarations.ts'
import { installPacked } from '../testkit/packages/packed.ts'
import { fetchRuntime, printedFault, type Runtime, runProgram, RUNTIMES } from '../testkit/packages/runtimes.ts'
import { verifyInWorker } from '../testkit/packages/verify-in-worker.ts'
import { type RunningWorker, startWorker } from '../testkit/packages/workerd.ts'
import { AUDIENCE, catchUp, startServer, type TestServer } from '../testkit/services/test-server.ts'

const ROOT = join(import.meta.dirname, '..')
/** The exit code where no runtime is to be had. */
const CANNOT_RUN = 2
const PACKAGES = ['packages/client', 'packages/verify']
/** What a package does over several requests to a worker, if it has that. */
const WORKER = 'smoke-worker.mjs'

const PROGRAM = `import { smoke } from './smoke.mjs'
await smoke(JSON.parse(globalThis.process.env.MINTMARK_SMOKE))
`
const SMOKE_WORKER = `import { smoke } from './smoke.mjs'
export default {
  fetch: async request => {
    if (request.method === 'GET') return new Response()
    try {
      await smoke(await request.json())
      return new Response('works')
    } catch (fault) {
      return new Response(String(fault), { status: 500 })
    }
  },
}
`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const prepare = async (service: TestServer, folder: string) => {
  const agent = await service.createAgent()
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  await registerKeys(service, agent, [{ ...jwk, d: undefined }])
  const place = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  return {
    issuer: service.baseUrl,
    ...agent,
    clientSecretFile: place('secret', agent.clientSecret),
    privateKey: jwk,
    privateKeyFile: place('key.jwk', JSON.stringify(jwk)),
    operatorJwt: await service.provider.operatorJwt({ role: 'mintmark-admin' }),
    apiKey: (await service.createApiKey('tokens:introspect')).key,
  }
}

type Given = Awaited<ReturnType<typeof prepare>>
type Found = { readonly runtime: Runtime; readonly path: string }

const smokeInWorker = async ({ origin }: RunningWorker, given: Given): Promise<string | null> => {
  // A worker has no files.
  const body = JSON.stringify({ ...given, clientSecretFile: undefined, privateKeyFile: undefined })
  const response = await fetch(origin, { method: 'POST', body })
  const answer = await response.text()
  return response.ok ? null : answer
}

/** Runs what is asked of a worker, and ends it. What it prints is judged too. */
const withWorker = async (
  worker: Promise<RunningWorker>,
  use: (worker: RunningWorker) => Promise<string | null>,
): Promise<string | null> => {
  let running: RunningWorker
  try {
    running = await worker
  } catch (fault) {
    return `it could not be started: ${String(fault)}`
  }
  try {
    const fault = await use(running)
    return fault === null ? printedFault(running.output()) : `${fault}: ${running.output().trim()}`
  } catch (fault) {
    return `it did not answer: ${String(fault)}: ${running.output().trim()}`
  } finally {
    await running.stop()
  }
}

const runInWorker = async (service: TestServer, folder: string, { runtime, path }: Found): Promise<string | null> => {
  const program = { path, args: runtime.args }
  const given = await prepare(service, folder)
  const fault = await withWorker(startWorker(program, { folder, file: 'worker.mjs' }), worker =>
    smokeInWorker(worker, given),
  )
  if (fault !== null || !existsSync(join(folder, WORKER))) return fault
  const bindings = { ISSUER: given.issuer, AUDIENCE, API_KEY: given.apiKey }
  return withWorker(startWorker(program, { folder, file: WORKER }, bindings), ({ origin }) =>
    verifyInWorker(origin, service, given),
  )
}

const runIn = async (service: TestServer, folder: string, found: Found): Promise<string | null> => {
  catchUp(service) // the runtimes read the clock of the machine
  if (found.runtime.kind === 'worker') return runInWorker(service, folder, found)
  return runProgram(found.runtime, { path: found.path, folder, file: 'program.mjs' }, await prepare(service, folder))
}

const install = (folder: string, workspace: string): { readonly name: string; readonly place: string } => {
  mkdirSync(folder)
  const installed = installPacked(folder, workspace)
  for (const file of ['smoke.mjs', WORKER]) {
    if (existsSync(join(ROOT, workspace, file))) cpSync(join(ROOT, workspace, file), join(folder, file))
  }
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  writeFileSync(join(folder, 'worker.mjs'), SMOKE_WORKER)
  return installed
}

/** How many did not do what they should. */
const check = async (above: string, runtimes: readonly Found[]): Promise<number> => {
  const service = await startServer()
  let failed = 0
  const report = (what: string, fault: string | null, works: string): void => {
    failed += fault === null ? 0 : 1
    print(`${what}: ${fault ?? works}`)
  }
  try {
    for (const workspace of PACKAGES) {
      const folder = join(above, workspace.replace('/', '-'))
      const { name, place } = install(folder, workspace)
      report(`${name}, its declarations`, declarationsWithAny(place), 'no any')
      for (const found of runtimes) {
        report(`${name} in ${found.runtime.name}`, await runIn(service, folder, found), 'works')
      }
    }
    for (const { what, fault } of checkConsumer(join(above, 'consumer'), PACKAGES)) report(what, fault, 'compiles')
  } finally {
    await service.close()
  }
  return failed
}

const folder = mkdtempSync(join(tmpdir(), 'mintmark-packages-'))
try {
  const fetched = RUNTIMES.map(runtime => ({ runtime, ...fetchRuntime(folder, runtime) }))
  for (const one of fetched) if ('missing' in one) print(`${one.runtime.name}: skipped, ${one.missing}`)
  const found = fetched.flatMap(one => ('path' in one ? [one] : []))
  const failed = await check(folder, found)
  print(`${PACKAGES.length} packages in ${found.length} of ${RUNTIMES.length} runtimes: ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : found.length === 0 ? CANNOT_RUN : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}
