// What a command loads: what its own work needs. The rest of the packages takes longer to load than a command to work.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  freePorts,
  KEY,
  makeFolder,
  run,
  runAlone,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

/** Has the main thread end with the packages that our source loaded there, as a line of JSON on standard error. */
const RECORDER = `
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'
const packages = new Set()
const PROGRAMS = ['/server/dist/', '/server/src/', '/packages/']
const resolve = (specifier, context, next) => {
  if (PROGRAMS.some(folder => context.parentURL?.includes(folder)) && /^[a-z@]/.test(specifier)) packages.add(specifier)
  return next(specifier, context)
}
if (isMainThread) {
  registerHooks({ resolve })
  process.on('exit', () => process.stderr.write(JSON.stringify([...packages])))
}
`

const record = (t: TestContext): { readonly folder: string; readonly variables: Variables } => {
  const folder = makeFolder(t)
  const recorder = join(folder, 'recorder.mjs')
  writeFileSync(recorder, RECORDER)
  return { folder, variables: { NODE_OPTIONS: `--import=${recorder}`, MINTMARK_KEY_ENCRYPTION_KEY: KEY } }
}

const packagesIn = (stderr: string): readonly string[] =>
  (JSON.parse(stderr) as string[]).filter(name => !name.startsWith('node:')).toSorted()

test('a command on the store loads the store and the command line, and what it asks with, but no page and no keys', t => {
  const { folder, variables } = record(t)
  for (const [args, more] of [
    [['migrate'], []],
    [['agent', 'list'], ['zod']],
  ] as const) {
    const loaded = packagesIn(runAlone(folder, args, variables).stderr)
    assert.deepEqual(loaded, ['commander', ...more], args.join(' '))
  }
})

test('the main thread of serve loads nothing of HTTP: it does not listen', async t => {
  const { folder, variables } = record(t)
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const [port] = await freePorts()
  const serving = {
    ...variables,
    MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    HOST: '127.0.0.1',
    PORT: String(port),
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    LOG_LEVEL: 'error', // what the recorder prints stands alone; this provider is away
  }
  const running = await start(t, folder, { args: ['serve'], variables: serving, ready: /Mintmark serves/ })
  const { stderr } = await running.stop()
  assert.deepEqual(packagesIn(stderr), ['close-with-grace', 'commander', 'pino'])
})
