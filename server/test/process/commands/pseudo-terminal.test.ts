// Questions at a real terminal: what is asked there, and what an answer does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_TERMINAL, runAtTerminal } from '../../../../testkit/commands/at-terminal.ts'
import { KEY, makeFolder, run, type Scope } from '../../../../testkit/commands/run-mintmark.ts'

const variables = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
const skip = NO_TERMINAL

const makeWorld = (t: Scope) => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], variables)
  const json = (...args: readonly string[]) =>
    JSON.parse(run(folder, [...args, '--json'], variables).stdout) as Readonly<Record<string, unknown>>
  return { world: { folder, variables }, json }
}

test('a question at a terminal names the agent and its owner; no keeps the agent, and yes disables it', {
  skip,
}, async t => {
  const { world, json } = makeWorld(t)
  const { agent_id: id } = json('agent', 'create', '--name', 'reports', '--scope', 'db:read', '--owner', 'Ada')
  const disable = (typed: string) => runAtTerminal(world, ['agent', 'disable', 'reports'], 'Go on? [y/N]', typed)
  const kept = await disable('n\r')
  assert.equal(kept.status, 1, kept.shown)
  assert.ok(kept.shown.includes(`the agent ${String(id)} (reports, owner Ada) new tokens`), kept.shown)
  assert.match(kept.shown, /Nothing was changed\./)
  assert.equal(json('agent', 'show', 'reports')['disabled_at'], null)
  const disabled = await disable('y\r')
  assert.equal(disabled.status, 0, disabled.shown)
  assert.equal(typeof json('agent', 'show', 'reports')['disabled_at'], 'string')
})

test('every token ends by the phrase that is typed at a terminal, and by no yes', { skip }, async t => {
  const { world, json } = makeWorld(t)
  const end = (typed: string) =>
    runAtTerminal(world, ['revocation', 'create', '--all'], 'Type "end every token" to go on:', typed)
  const revocations = () => JSON.stringify(json('audit', 'list')).includes('"revocation.create"')
  const kept = await end('y\r')
  assert.deepEqual([kept.status, revocations()], [1, false], kept.shown)
  const ended = await end('end every token\r')
  assert.deepEqual([ended.status, revocations()], [0, true], ended.shown)
})

const PHRASE = 'Type "end every token" to go on:'

test('a reset of the clock and each way to restore end every token by that phrase too', { skip }, async t => {
  const { world, json } = makeWorld(t)
  json('backup', 'backup.db')
  const acts = () => (json('audit', 'list')['data'] as readonly { readonly kind: string }[]).map(({ kind }) => kind)
  const restores = () => acts().filter(kind => kind === 'store.restore').length
  for (const [args, isDone] of [
    [['clock', 'reset'], () => acts().includes('clock.reset')],
    [['restore', 'epoch'], () => restores() === 1],
    // The store of the backup knows of nothing that was done to the other one.
    [['restore', 'backup.db', '--replace'], () => restores() === 1 && !acts().includes('clock.reset')],
  ] as const) {
    const kept = await runAtTerminal(world, args, PHRASE, 'yes\r')
    assert.deepEqual([kept.status, isDone()], [1, false], kept.shown)
    const done = await runAtTerminal(world, args, PHRASE, 'end every token\r')
    assert.deepEqual([done.status, isDone()], [0, true], done.shown)
  }
})
