// mintmark audit verify, run as a person runs it, beside a service that seals and after somebody wrote in the store.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import {
  freePorts,
  KEY,
  makeFolder,
  run,
  type Scope,
  serveVariables,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const VARIABLES: Variables = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
const RUNS_MAX = 3000

type Verdict = {
  readonly unsealed: number
  readonly seals: number
  readonly entries: number
  readonly last_head: string
}

const verify = (folder: string, ...options: readonly string[]) =>
  run(folder, ['audit', 'verify', ...options], VARIABLES)

/** A store with three entries, the last of them the service's own for the next signing key, sealed by a service that has ended. */
const makeSealedStore = async (t: Scope) => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], VARIABLES).status, 0)
  assert.equal(run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read']).status, 0)
  const [port] = await freePorts()
  const variables = serveVariables(port)
  const serving = await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  let verdict: Verdict | undefined
  for (let runs = 0; runs < RUNS_MAX && !(verdict?.unsealed === 0 && verdict.entries === 3); runs += 1) {
    verdict = JSON.parse(verify(folder, '--json').stdout) as Verdict
  }
  const { status, stderr } = await serving.stop()
  assert.equal(status, 0, stderr)
  return { folder, verdict, log: stderr }
}

const sealed = await makeSealedStore({ after })

/** A folder with a copy of it. */
const copySealedStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  cpSync(sealed.folder, folder, { recursive: true })
  return folder
}

const change = (folder: string, sql: string): void =>
  withFile(join(folder, '.mintmark', 'mintmark.db'), db => db.exec(sql))

test('audit verify prints how much is sealed, what the log says too, and what is not sealed yet', t => {
  const folder = copySealedStore(t)
  const { verdict, log } = sealed
  const { last_head: head = '', seals = 0, ...rest } = verdict ?? {}
  assert.deepEqual(rest, { good: true, entries: 3, last_seal: seals, unsealed: 0 })
  const lines = log.split('\n').filter(line => line.includes('audit entries sealed'))
  const logged = lines.map(line => JSON.parse(line) as { number: number; count: number; head: string })
  assert.deepEqual({ number: logged.at(-1)?.number, head: logged.at(-1)?.head }, { number: seals, head })
  assert.ok(!log.includes(KEY))
  run(folder, ['agent', 'create', '--name', 'b', '--scope', 'db:read'])
  const { status, stdout } = verify(folder, '--seal', String(seals), '--head', head.toUpperCase())
  assert.equal(status, 0)
  assert.equal(
    stdout,
    `The audit log is good: 3 entries in ${seals} seals. The last seal is ${seals}, its head ${head}. 1 entry is not sealed yet.\n`,
  )
  const other = verify(folder, '--head', '0'.repeat(64))
  assert.equal(other.status, 1)
  assert.match(
    other.stderr,
    /^mintmark: The audit log is not as it was sealed from entry 4 on \(cut_off\)\. No seal is/,
  )
})

test('audit verify names the first entry that is not as it was, with exit code 1', t => {
  const folder = copySealedStore(t)
  change(folder, `update audit set subject = 'another' where n = 2`)
  const { status, stdout, stderr } = verify(folder)
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  assert.match(stderr, /^mintmark: The audit log is not as it was sealed from entry 2 on \(changed\)\. [^\n]+\n$/)
  const json = verify(folder, '--json')
  assert.equal(json.status, 1)
  const { because, ...found } = JSON.parse(json.stdout) as Record<string, unknown>
  assert.deepEqual(found, { good: false, entry: 2, tampering: 'changed' })
  assert.equal(typeof because, 'string')
})

test('audit verify needs the key-encryption key of the store, and takes only what a seal can be', t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], VARIABLES).status, 0)
  assert.match(run(folder, ['audit', 'verify']).stderr, /MINTMARK_KEY_ENCRYPTION_KEY/)
  const other = Buffer.alloc(32, 8).toString('base64')
  const wrong = run(folder, ['audit', 'verify'], { MINTMARK_KEY_ENCRYPTION_KEY: other })
  assert.equal(wrong.status, 1)
  assert.match(wrong.stderr, /is sealed under the key-encryption key/)
  assert.equal(verify(folder, '--seal', '0').status, 2)
  assert.equal(verify(folder, '--head', 'abc').status, 2)
})
