// Questions answered at a real terminal: a pseudo-terminal of script(1), where the program sees one on all of its streams.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { GIVE_UP_MS } from '../../../../testkit/commands/command-order.ts'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'
import { findProgram } from '../../../../testkit/processes/find-program.ts'

const PROGRAM = resolve(import.meta.dirname, '../../../src/main.ts')
const VARIABLES = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }

const script = findProgram('script')
const skip = script === undefined ? 'there is no script(1) here' : false

type Place = { readonly folder: string; readonly args: readonly string[] }

/** Types once the command has asked; what the terminal showed, and how the command ended. */
const typeAt = async ({ folder, args }: Place, question: string, typed: string) => {
  const line = [process.execPath, PROGRAM, ...args].map(word => `'${word}'`).join(' ')
  const child = spawn(script ?? '', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...VARIABLES },
    timeout: GIVE_UP_MS,
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = shown.includes(question)
    shown += text
    if (!wasAsked && shown.includes(question)) child.stdin.write(typed)
  })
  await once(child, 'close')
  return { status: child.exitCode, shown }
}

const makeWorld = (t: Parameters<typeof makeFolder>[0]) => {
  const folder = makeFolder(t)
  const json = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], VARIABLES)
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  run(folder, ['migrate'], VARIABLES)
  json('agent', 'create', '--name', 'reports', '--owner', 'Ada', '--scope', 'db:read')
  const disabledAt = () => (json('agent', 'show', 'reports') as { readonly disabled_at: unknown }).disabled_at
  return { folder, disabledAt }
}

test('at a pseudo-terminal a question names agent and owner, and only a yes goes on', { skip }, async t => {
  const { folder, disabledAt } = makeWorld(t)
  const disable = { folder, args: ['agent', 'disable', 'reports'] }
  for (const typed of ['n\r', '\r', '\u0003', '\u0004']) {
    const { status, shown } = await typeAt(disable, '[y/N] ', typed)
    assert.equal(status, 1, shown)
    assert.match(shown, /\(reports, owner Ada\)[\s\S]*Nothing was changed\./)
    assert.equal(disabledAt(), null)
  }
  const { status, shown } = await typeAt(disable, '[y/N] ', 'y\r')
  assert.equal(status, 0, shown)
  assert.notEqual(disabledAt(), null)
})

test('at a pseudo-terminal the phrase is typed before every token ends, and a yes is none', { skip }, async t => {
  const { folder } = makeWorld(t)
  const all = { folder, args: ['revocation', 'create', '--all'] }
  const question = 'Type "end every token" to go on: '
  const refused = await typeAt(all, question, 'yes\r')
  assert.equal(refused.status, 1, refused.shown)
  assert.match(refused.shown, /Nothing was changed\./)
  const meant = await typeAt(all, question, 'end every token\r')
  assert.equal(meant.status, 0, meant.shown)
  assert.match(meant.shown, /state\s+\w+/)
})

test('at a pseudo-terminal what a revocation ends is told with the name and owner of its agent', { skip }, async t => {
  const { folder } = makeWorld(t)
  const some = { folder, args: ['revocation', 'create', '--agent', 'reports'] }
  const { status, shown } = await typeAt(some, '[y/N] ', 'n\r')
  assert.equal(status, 1, shown)
  assert.match(shown.replaceAll(/\s+/g, ' '), /every token of agent [\w-]{36} \(reports, owner Ada\): 0 alive now\./)
})
