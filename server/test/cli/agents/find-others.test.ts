// Names and the beginnings of ids for what is no agent, credential or API key, and for those who acted or were acted on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { type Ended, KEY, makeFolder, run, runAside, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'

const VARIABLES = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }

let folder = ''
const scope = scopeOfFile()

before(() => {
  folder = makeFolder(scope)
  run(folder, ['migrate'], VARIABLES)
})

const ask = (...args: readonly string[]): Ended => run(folder, args, VARIABLES)

const json = (noun: string, verb: string, ...args: readonly string[]): Readonly<Record<string, unknown>> => {
  const { status, stdout, stderr } = ask(noun, verb, '--json', ...args)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
}

const listed = (noun: string, verb: string, ...args: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  json(noun, verb, ...args)['data'] as readonly Readonly<Record<string, unknown>>[]

const agent = (name: string, ...more: readonly string[]): string =>
  String(json('agent', 'create', '--name', name, '--scope', 'db:read', ...more)['agent_id'])

const apiKey = (name: string): string =>
  String(json('api-key', 'create', '--name', name, '--permission', 'tokens:read')['api_key_id'])

test('the audit log is asked for acts on an agent, an API key or a signing key by name or beginning of the id', () => {
  const id = agent('reports', '--owner', 'Ada')
  const key = apiKey('orders')
  const kid = String(listed('key', 'list')[0]?.['kid'])
  for (const [subject, found] of [
    [id, id],
    ['reports', id],
    ['rep', id],
    [id.slice(0, 8), id],
    ['orders', key],
    [key.slice(0, 8), key],
    [kid, kid],
    [kid.slice(0, 8), kid],
  ] as const) {
    const subjects = listed('audit', 'list', `--subject=${subject}`).map(entry => entry['subject'])
    assert.ok(subjects.length > 0 && subjects.every(one => one === found), subject)
  }
  const exported = ask('audit', 'export', '--subject', 'reports')
  assert.equal((JSON.parse(exported.stdout) as Record<string, unknown>)['subject'], id)
  const nobody = ask('audit', 'list', '--subject', 'mmc_secret')
  assert.equal(nobody.status, 2)
  assert.ok(/No subject has this id or name/.test(nobody.stderr) && !nobody.stderr.includes('secret'), nobody.stderr)
})

test('the audit log is asked for acts on a subject of an issuer, or on what is called so, and for those of an operator', () => {
  const issuer = '--alias globex --issuer https://globex.example --type id_token --scope db:read'
  json('issuer', 'create', ...issuer.split(' '))
  for (const subject of ['globex:alice', 'globex:key']) json('subject', 'block', subject, '--yes')
  const key = apiKey('globex:key')
  apiKey('globex:alice:nightly')
  for (const [subject, found] of [
    ['globex:alice', 'globex:alice'],
    ['globex:key', key],
    ['=globex:key', 'globex:key'],
    ['=globex', 'globex'],
  ] as const) {
    const subjects = listed('audit', 'list', `--subject=${subject}`).map(one => one['subject'])
    assert.deepEqual(subjects, [found], subject)
  }
  assert.deepEqual(listed('audit', 'list', '--actor-sub', 'ada'), [])
})

test('a text that names an agent and an API key is ambiguous, and the candidates say which is which', () => {
  const [id, key] = [agent('both', '--owner', 'Ada'), apiKey('both')]
  for (const args of [
    ['audit', 'list', '--subject', 'both'],
    ['audit', 'list', '--actor-id', 'both'],
    ['token', 'history', '--ended-by', 'both'],
  ]) {
    const { status, stderr } = ask(...args)
    assert.equal(status, 2, stderr)
    assert.ok(stderr.includes(`\n  ${id}  both  (agent, owner Ada)\n  ${key}  both  (API key)\n`), stderr)
  }
  assert.equal(ask('audit', 'list', '--actor-type', 'api_key', '--actor-id', 'both').status, 0)
})

test('who acted is an agent or an API key by its whole name, and else a user or an operator as it is', () => {
  const id = agent('acting', '--owner', 'Ada')
  const [user = ''] = listed('audit', 'list').map(entry => (entry['actor'] as { readonly id: string }).id)
  for (const args of [
    ['audit', 'list', '--actor-id'],
    ['token', 'history', '--ended-by'],
  ]) {
    assert.match(ask(...args, 'acting').stderr, new RegExp(`^By this name: ${id}  acting  \\(agent, owner Ada\\)\n$`))
    assert.match(ask(...args, 'actin').stderr, /it is taken for an operator or a user at the terminal\.\n$/)
    for (const whole of ['=acting', 'system', id]) assert.equal(ask(...args, whole).stderr, '')
  }
  // An agent that is called as the user is: the type, or the sign, says that the user is meant.
  assert.ok(listed('audit', 'list', '--actor-id', user).length > 0)
  agent(user)
  assert.equal(listed('audit', 'list', '--actor-id', user).length, 0)
  assert.ok(listed('audit', 'list', '--actor-id', `=${user}`).length > 0)
  assert.ok(listed('audit', 'list', '--actor-type', 'cli', '--actor-id', user).length > 0)
})

test('a client is found by the name of its agent, and by the id that it had before it was imported', () => {
  const id = agent('client one')
  writeFileSync(
    join(folder, 'clients.json'),
    JSON.stringify([{ client_id: 'from before', client_name: 'imported', grant_types: ['client_credentials'] }]),
  )
  assert.equal(ask('import', 'hydra', 'clients.json', '--scope', 'db:read').status, 0)
  for (const args of [
    ['token', 'list', '--client'],
    ['token', 'history', '--client'],
    ['audit', 'refusals', '--client-id'],
  ]) {
    for (const text of ['client one', 'client o', id.slice(0, 13)]) {
      const { status, stderr } = ask(...args, text)
      assert.deepEqual([status, /^By this name: (\S+)/.exec(stderr)?.[1]], [0, id], stderr)
    }
    for (const text of ['imported', 'from before', 'from be']) {
      assert.match(ask(...args, text).stderr, /^By this name: from before {2}imported\n$/)
    }
    const gone = ask(...args, 'gone')
    assert.deepEqual([gone.status, /it is taken for the id of a client/.test(gone.stderr)], [0, true], gone.stderr)
  }
})

test('a signing key is found by the beginning of its kid where nothing ends, and else by the whole', () => {
  const kid = String(listed('key', 'list').find(({ state }) => state === 'current')?.['kid'])
  const opening = kid.slice(0, 9)
  assert.equal(json('key', 'show', '--', opening)['kid'], kid)
  assert.equal(ask('revocation', 'create', `--kid=${opening}`, '--dry-run').status, 0)
  for (const args of [
    ['key', 'retire', '--', opening],
    ['key', 'compromise', '--yes', '--', opening],
    ['revocation', 'create', `--kid=${opening}`, '--yes'],
  ]) {
    const { status, stderr } = ask(...args)
    assert.equal(status, 2, stderr)
    assert.ok(stderr.includes(`the whole id or the whole name. Is it this signing key?\n  ${kid}  (current)`), stderr)
  }
  assert.equal(ask('revocation', 'create', `--kid=${kid}`, '--yes').status, 0)
  assert.equal(ask('key', 'show', 'none').status, 2)
})

test('a revocation is found by the beginning of its id', () => {
  const id = String(json('revocation', 'create', '--scope', 'db:admin', '--note', 'ticket 4711', '--yes')['id'])
  assert.equal(json('revocation', 'show', id.slice(0, 8))['id'], id)
  assert.equal(ask('revocation', 'show', 'none').status, 2)
})

test('an agent for which another may act is named too, in full', () => {
  const id = agent('principal')
  const acting = ['--grant-type', 'urn:ietf:params:oauth:grant-type:token-exchange']
  const relay = agent('for others', ...acting, '--acts-for', 'principal', 'label:team=data')
  assert.deepEqual(json('agent', 'show', relay)['acts_for'], [id, 'label:team=data'])
  assert.equal(ask('agent', 'change', relay, '--acts-for', 'princ', '--yes').status, 2)
})

test('restore accept takes whole names too, aliases of issuers, and asks about the agent by its name and owner', () => {
  const id = agent('accepted', '--owner', 'Ada')
  const key = apiKey('accepted key')
  json('issuer', 'create', ...'--alias idp --issuer https://idp.example --type id_token --scope db:read'.split(' '))
  assert.equal(ask('restore', 'epoch', '--yes').status, 0)
  const asked = ask('restore', 'accept', '--agent', 'accepted')
  assert.equal(asked.status, 2)
  assert.ok(asked.stderr.includes(`From now on agent ${id} (accepted, owner Ada) can be used`), asked.stderr)
  assert.equal(ask('restore', 'accept', '--agent', 'accep', '--yes').status, 2)
  assert.deepEqual(json('restore', 'accept', '--agent', 'accepted', '--yes')['accepted'], {
    agents: 1,
    credentials: 1,
    api_keys: 0,
    issuers: 0,
  })
  assert.equal(json('agent', 'show', id)['suspended_at'], null)
  json('restore', 'accept', '--api-key-id', 'accepted key', '--yes')
  assert.equal(json('api-key', 'show', key)['suspended_at'], null)
  assert.match(ask('restore', 'accept', '--credential', 'first', '--yes').stderr, /Name the credential by its whole id/)
  assert.equal(ask('restore', 'accept', '--issuer', 'idp', '--agent', 'accepted', '--yes').status, 2)
  assert.match(ask('restore', 'accept', '--issuer', 'idp').stderr, /From now on trusted issuer idp can be used/)
  assert.match(ask('restore', 'accept', '--issuer', 'id', '--yes').stderr, /: No trusted issuer has the alias id\.\n$/)
  assert.partialDeepStrictEqual(json('restore', 'accept', '--issuer', 'idp', '--yes')['accepted'], {
    agents: 0,
    issuers: 1,
  })
  assert.equal(json('issuer', 'show', 'idp')['suspended_at'], null)
})

test('a session ends by its whole id, or by the name of the operator who has no other', async t => {
  const ended: string[] = []
  const idOf = (n: number): string => `0198d4c2-5d7c-4b7a-9c3e-00000000000${n}`
  const session = (n: number, sub: string, name: string) => ({
    id: idOf(n),
    operator: { iss: 'https://login.example.com', sub, name },
    used_at: '2026-11-21T09:30:00.000Z',
  })
  const data = [session(1, 'ada@example.com', 'Ada'), session(2, 'bo', 'Bo\u202e'), session(3, 'bo', 'Bo')]
  const service = createServer((request, response) => {
    if (request.method === 'DELETE') {
      ended.push(String(request.url?.split('/').at(-1)))
      response.writeHead(204).end()
    } else response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, next_cursor: null }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const end = (text: string) =>
    runAside(folder, ['session', 'end', text], { variables: { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' } })
  for (const text of ['ada@example.com', 'Ada', idOf(2)]) assert.equal((await end(text)).status, 0, text)
  assert.deepEqual(ended, [idOf(1), idOf(1), idOf(2)])
  const several = await end('bo')
  assert.deepEqual([several.status, several.stderr.includes(`${idOf(3)}  bo  (used 2026`)], [2, true], several.stderr)
  assert.match((await end('ad')).stderr, /takes the whole id or the whole name\. Is it this session\?/)
  assert.equal(ended.length, 3)
})

test('a caller who may not list takes what was typed for the whole id, where that was so before there were names', async t => {
  const asked: string[] = []
  const service = createServer((request, response) => {
    const isList = /^\/api\/v1\/(?:agents|api-keys|keys)\b/.test(request.url ?? '')
    if (!isList) asked.push(request.url ?? '')
    const refused = { error: 'insufficient_permission', error_description: 'This API key may not.' }
    response.writeHead(isList ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isList ? refused : { data: [], next_cursor: null }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  t.after(() => service.close())
  const variables = {
    MINTMARK_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    MINTMARK_API_KEY: 'key',
  }
  for (const [args, sent] of [
    [['token', 'history', '--ended-by', 'root'], 'ended_by=root'],
    [['token', 'list', '--client', 'orders'], 'client_id=orders'],
    [['audit', 'list', '--subject', '2026-01'], 'subject=2026-01'],
  ] as const) {
    const { status, stderr } = await runAside(folder, args, { variables })
    assert.deepEqual([status, asked.at(-1)?.includes(sent)], [0, true], `${stderr} ${String(asked.at(-1))}`)
    assert.match(stderr, /^The caller may not list what this may be the name of/)
  }
  const refused = await runAside(folder, ['token', 'list', '--agent', 'reports'], { variables })
  assert.equal(refused.status, 2)
})
