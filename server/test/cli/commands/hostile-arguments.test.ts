// What a shell or a file hands to a command, and a service would refuse over the network: refused here for the same reason.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  const { status, stderr } = run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY })
  assert.equal(status, 0, stderr)
  return folder
}

const agentsIn = (folder: string): readonly Readonly<Record<string, unknown>>[] =>
  (JSON.parse(run(folder, ['agent', 'list', '--json']).stdout) as { data: Record<string, unknown>[] }).data

test('a label named __proto__ is refused, not left out in silence', t => {
  const folder = makeStore(t)
  const refusal = {
    status: 1,
    stdout: '',
    stderr: 'mintmark: The body has a member that this operation does not know.\n',
  }
  const create = ['agent', 'create', '--name', 'reports', '--scope', 'db:read', '--label']
  assert.deepEqual(run(folder, [...create, '__proto__=data']), refusal)
  assert.deepEqual(agentsIn(folder), [])
  assert.equal(run(folder, [...create, 'constructor=data']).status, 0)
  const [agent] = agentsIn(folder)
  assert.deepEqual(agent?.['labels'], { constructor: 'data' })
  const change = ['agent', 'change', String(agent['agent_id']), '--label', '__proto__=data', '--yes']
  assert.deepEqual(run(folder, change), refusal)
})

test('a document that is not in UTF-8 is refused, not taken with other names', t => {
  const folder = makeStore(t)
  const client = { clientId: 'reports', name: 'B\u00fccher', protocol: 'openid-connect', serviceAccountsEnabled: true }
  const text = JSON.stringify([client])
  writeFileSync(join(folder, 'latin1.json'), text, 'latin1')
  writeFileSync(join(folder, 'utf8.json'), `\uFEFF${text}`)
  const load = (file: string) => run(folder, ['import', 'keycloak', file, '--scope', 'db:read'])
  assert.deepEqual(load('latin1.json'), {
    status: 1,
    stdout: '',
    stderr: 'mintmark: "latin1.json" is not in UTF-8: convert it first.\n',
  })
  assert.equal(load('utf8.json').status, 0)
  assert.deepEqual(
    agentsIn(folder).map(({ name }) => name),
    ['B\u00fccher'],
  )
})

test('an option that takes one value is refused where it is given twice: one of the two would be lost in silence', t => {
  const folder = makeStore(t)
  for (const [option, one, other, ...command] of [
    ['--owner', 'a', 'b', 'token', 'list'],
    ['--owner', 'a', 'a', 'token', 'list'],
    ['--limit', '5', '6', 'token', 'history'],
    ['--since', '1h', '2h', 'audit', 'list'],
    ['--kind', 'agent.disable', 'agent.create', 'audit', 'list'],
    ['--search', 'a', 'b', 'agent', 'list'],
    ['--format', 'csv', 'ndjson', 'token', 'export'],
    ['--before', '1h', '2h', 'usage'],
    ['--name', 'a', 'b', 'agent', 'create', '--scope', 'db:read'],
    ['--note', 'a', 'b', 'agent', 'disable', 'a', '--yes'],
    ['--scope', 'db:read', 'db:write', 'token', 'get'],
    ['--url', 'https://a.example', 'https://b.example', 'agent', 'list'],
  ] as const) {
    const { status, stdout, stderr } = run(folder, [...command, option, one, option, other])
    const refused = new RegExp(`^mintmark: option '${option} <.*' argument '.*' is invalid\\. It is given twice`)
    assert.deepEqual([status, stdout], [2, ''], `${option}: ${stderr}`)
    assert.match(stderr, refused)
  }
  const labels = run(folder, ['token', 'list', '--label', 'a=b', '--label', 'c=d', '--limit', '5', '--json'])
  assert.equal(labels.status, 0, labels.stderr)
  assert.equal(run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read']).status, 0)
  const changed = run(folder, ['agent', 'change', 'a', '--no-owner', '--owner', 'Ada', '--yes'])
  assert.equal(changed.status, 0, changed.stderr)
})
