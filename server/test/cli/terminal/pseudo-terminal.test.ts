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
