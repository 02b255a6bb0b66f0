// Names, ids and the beginnings of both, wherever a command takes the id of an agent, a credential or an API key.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { KEY, makeFolder, run, runAside, type Scope } from '../../../../testkit/commands/run-mintmark.ts'

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

test('of several the candidates are listed, and a whole name wins over the beginning of others', t => {
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

test('what is called as an id looks is found by that name where nothing has the id', t => {
  const { agent, json, ask } = makeWorld(t)
  const name = '6F1D7C1E-4f5a-4c63-9d0f-3a5b7c9d1e2f'
  const [id, other] = [agent(name), agent('reports')]
  for (const verb of ['show', 'disable', 'enable']) {
    const yes = verb === 'disable' ? ['--yes'] : []
    assert.equal(json('agent', verb, name, ...yes).agent_id, id)
  }
  assert.equal(json('credential', 'create', name, '--name', name).agent_id, id)
  assert.equal(json('credential', 'show', name, name).agent_id, id)
  for (const option of ['--agent', '--client']) assert.equal(ask('token', 'list', option, name).status, 0)
  const { api_key_id: key } = json('api-key', 'create', '--name', name, '--permission', 'tokens:read')
  assert.equal(json('api-key', 'show', name).api_key_id, key)
  // The name of nothing is taken for an id, as of an agent that was deleted.
  assert.match(ask('agent', 'show', name.replace('6F', '5F')).stderr, /No agent has the id 5f1d7c1e/)
  assert.equal(json('agent', 'change', 'reports', '--acts-for', name).agent_id, other)
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

test('a rotation ends the old secret or key, so it takes the whole id or the whole name too', t => {
  const { agent, json, ask } = makeWorld(t)
  agent('reports')
  json('credential', 'create', 'reports', '--name', 'second')
  json('api-key', 'create', '--name', 'orders', '--permission', 'tokens:read')
  for (const [kind, ...args] of [
    ['agent', 'credential', 'rotate', 'rep', 'second'],
    ['credential', 'credential', 'rotate', 'reports', 'sec'],
    ['API key', 'api-key', 'rotate', 'ord'],
  ]) {
    const { status, stderr } = ask(...args, '--grace', '0s')
    assert.equal(status, 2, stderr)
    assert.ok(stderr.includes(`the whole id or the whole name. Is it this ${kind}?`), stderr)
  }
  for (const args of [
    ['credential', 'rotate', 'reports', 'second'],
    ['api-key', 'rotate', 'orders'],
  ]) {
    const { status, stderr } = ask(...args, '--grace', '0s')
    assert.equal(status, 0, stderr)
  }
})

test('a name means the live one, so that a rotation by name can be made again; what is not rotated must be named while both live', t => {
  const { agent, json, ask } = makeWorld(t)
  agent('reports')
  const { credential_id: first } = json('credential', 'create', 'reports', '--name', 'second')
  json('api-key', 'create', '--name', 'orders', '--permission', 'tokens:read')
  for (const [what, ...names] of [
    ['credential', 'reports', 'second'],
    ['api-key', 'orders'],
  ]) {
    const rotate = (grace: string) => json(String(what), 'rotate', ...names, '--grace', grace)
    const id = (made: Made): string => made.credential_id ?? made.api_key_id
    rotate('0s')
    rotate('1h')
    const last = id(rotate('1h'))
    const both = ask(String(what), 'revoke', ...names, '--yes')
    assert.equal(both.status, 2)
    assert.match(both.stderr, /Several are meant; [^]* {2}\(expires \d{4}-.*\)\n/)
    const meant = (both.stderr.match(/^ {2}\S+/gm) ?? []).map(text => text.trim())
    assert.equal(meant.length, 3)
    for (const other of meant) if (other !== last) json(String(what), 'revoke', ...names.slice(0, -1), other, '--yes')
    assert.equal(id(json(String(what), 'show', ...names)), last)
    json(String(what), 'revoke', ...names, '--yes')
    assert.equal(ask(String(what), 'show', ...names).status, 2)
  }
  assert.equal(json('credential', 'show', 'reports', first).credential_id, first)
})

test('of a list that is longer than a command reads none is taken for the only one', async t => {
  let requests = 0
  const one = { api_key_id: '0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11', name: 'orders' }
  const service = createServer((_request, response) => {
    requests += 1
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data: requests === 1 ? [one] : [], next_cursor: `c${requests}` }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const variables = { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' }
  const { status, stderr } = await runAside(makeFolder(t), ['api-key', 'revoke', 'orders', '--yes'], { variables })
  assert.equal(status, 2, stderr)
  assert.match(stderr, /There are more than 1,000 to look through: name the API key by its whole id\./)
  assert.equal(requests, 1)
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
