// Names, ids and the beginnings of both, wherever a command takes the id of an agent, a credential or an API key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNamed } from '../../../src/cli/find-named.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { CommandFailed } from '../../../src/cli/terminal/exit.ts'
import { KEY, makeFolder, run, type Scope } from '../../../../testkit/commands/run-mintmark.ts'

type Made = Readonly<Record<'agent_id' | 'credential_id' | 'api_key_id', string>>

const VARIABLES = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }

const makeWorld = (t: Scope) => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], VARIABLES)
  const ask = (...args: readonly string[]) => run(folder, args, VARIABLES)
  const json = (...args: readonly string[]): Made => {
    const { status, stdout, stderr } = ask(...args, '--json')
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout) as Made
  }
  const agent = (name: string, ...more: readonly string[]): string =>
    json('agent', 'create', '--name', name, '--scope', 'db:read', ...more).agent_id
  return { ask, json, agent }
}

test('an agent is found by its id, its name, and the beginning of either where nothing ends', t => {
  const { json, agent, ask } = makeWorld(t)
  const id = agent('reports', '--owner', 'Ada')
  for (const text of [id, id.toUpperCase(), 'reports', 'rep', id.slice(0, 8)]) {
    assert.equal(json('agent', 'show', text).agent_id, id, text)
  }
  assert.equal(ask('token', 'list', '--agent', 'rep').status, 0)
  assert.equal(json('agent', 'disable', 'reports', '--yes').agent_id, id)
})

test('what ends something takes the whole id or the whole name, and shows which agent was meant', t => {
  const { agent, ask } = makeWorld(t)
  const id = agent('reports', '--owner', 'Ada')
  for (const args of [
    ['agent', 'disable', 'rep'],
    ['agent', 'delete', id.slice(0, 13)],
    ['revocation', 'create', '--agent', 'rep'],
  ]) {
    const { status, stderr } = ask(...args, '--yes')
    assert.equal(status, 2, args.join(' '))
    assert.match(
      stderr,
      new RegExp(`takes the whole id or the whole name. Is it this agent\\?\\n  ${id}  reports  \\(owner Ada\\)`),
    )
  }
  assert.equal(ask('revocation', 'create', '--agent', 'rep', '--dry-run').status, 0)
  assert.equal(ask('revocation', 'create', '--agent', 'reports', '--yes').status, 0)
})

test('of several the candidates are told, and a whole name wins over the beginning of others', t => {
  const { agent, json, ask } = makeWorld(t)
  const [one, other] = [agent('mail'), agent('mail archive')]
  assert.equal(json('agent', 'show', 'mail').agent_id, one)
  const { status, stdout, stderr } = ask('agent', 'show', 'mai')
  assert.deepEqual([status, stdout], [2, ''])
  for (const id of [one, other]) assert.ok(stderr.includes(id), stderr)
  const nobody = ask('agent', 'show', 'mmc_secret')
  assert.equal(nobody.status, 2)
  assert.ok(nobody.stderr.includes('`mintmark agent list` shows them') && !nobody.stderr.includes('secret'))
})

test('a name that looks like an id, or like the beginning of one, hides no id', t => {
  const { agent, json } = makeWorld(t)
  const first = agent('first')
  const named = agent(first)
  const opening = agent(first.slice(0, 8))
  assert.equal(json('agent', 'show', first).agent_id, first)
  assert.equal(json('agent', 'show', first.slice(0, 8)).agent_id, opening)
  assert.equal(json('agent', 'show', named).agent_id, named)
})

test('credentials and API keys are found by their names too, and by the beginning of their ids', t => {
  const { agent, json, ask } = makeWorld(t)
  agent('reports')
  const { credential_id: second } = json('credential', 'create', 'reports', '--name', 'second')
  for (const text of [second, 'second', 'sec', second.slice(0, 9)]) {
    assert.equal(json('credential', 'show', 'reports', text).credential_id, second)
  }
  assert.equal(ask('credential', 'revoke', 'reports', 'sec', '--yes').status, 2)
  assert.equal(json('credential', 'revoke', 'reports', 'second', '--yes').credential_id, second)
  const { api_key_id: key } = json('api-key', 'create', '--name', 'orders', '--permission', 'tokens:read')
  json('api-key', 'create', '--name', 'orders', '--permission', 'tokens:read')
  assert.equal(json('api-key', 'show', key.slice(0, 13)).api_key_id, key)
  assert.match(ask('api-key', 'show', 'orders').stderr, /Several are meant; name one API key by its id:/)
})

test('the credential of a revocation is found by its name among those of its agent, and by its id alone', t => {
  const { agent, json, ask } = makeWorld(t)
  agent('reports')
  const { credential_id: second } = json('credential', 'create', 'reports', '--name', 'second')
  const end = (...args: readonly string[]) => ask('revocation', 'create', ...args, '--yes')
  const named = end('--credential', 'second', '--agent', 'reports')
  assert.equal(named.status, 0, named.stderr)
  assert.equal(end('--credential', second).status, 0)
  const alone = end('--credential', 'second')
  assert.equal(alone.status, 2)
  assert.match(alone.stderr, /Name the credential by its whole id, or its agent too/)
})

/** A list that never ends, of things with these names. */
const endless = (name: string) => {
  let asked = 0
  const call = () => {
    const data = [
      { api_key_id: `6f1d7c1e-4f5a-4c63-9d0f-${String(asked).padStart(12, '0')}`, name: asked === 0 ? name : 'x' },
    ]
    asked += 1
    return Promise.resolve({ data, next_cursor: 'more' })
  }
  return { api: { call } as unknown as Api, asked: () => asked }
}

test('where a list goes on behind the last page that is read nothing is taken for the only one', async () => {
  for (const [text, ends] of [
    ['orders', true],
    ['orders', false],
    ['ord', false],
    ['none', false],
  ] as const) {
    const { api, asked } = endless('orders')
    await assert.rejects(findNamed(api, 'api-key-id', { text, ends }), (error: unknown) => {
      assert.ok(error instanceof CommandFailed)
      assert.deepEqual([error.exitCode, /too many/.test(error.message)], [2, true], error.message)
      return true
    })
    assert.equal(asked(), 10)
  }
  const { api, asked } = endless('orders')
  const id = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
  assert.equal(await findNamed(api, 'api-key-id', { text: id, ends: true }), id)
  assert.equal(asked(), 0)
})
