// mintmark audit list and refusals, run as a person runs them.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

type Page = { readonly data: readonly Record<string, unknown>[]; readonly next_cursor: string | null }

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  for (const name of ['one', 'two']) {
    assert.equal(run(folder, ['agent', 'create', '--name', name, '--scope', 'db:read']).status, 0)
  }
  return folder
}

const page = (folder: string, ...args: readonly string[]): Page => {
  const { status, stdout, stderr } = run(folder, ['audit', ...args, '--json'])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Page
}

test('audit list prints what was done at this terminal and by the service, newest first, in pages', t => {
  const folder = makeStore(t)
  const first = page(folder, 'list', '--limit', '2')
  assert.deepEqual(
    first.data.map(({ n, kind, actor }) => [n, kind, actor]),
    [3, 2].map(n => [n, 'agent.create', { type: 'cli', id: userInfo().username }]),
  )
  const rest = page(folder, 'list', '--limit', '2', '--cursor', first.next_cursor ?? '')
  assert.deepEqual(
    rest.data.map(({ n, kind, actor }) => [n, kind, actor]),
    [[1, 'signing_key.create', { type: 'system' }]],
  )
  assert.equal(rest.next_cursor, null)
  assert.equal(page(folder, 'list', '--actor-type', 'cli', '--kind', 'agent.create').data.length, 2)
  assert.equal(page(folder, 'list', '--subject', String(first.data[0]?.['subject'])).data.length, 1)
  assert.equal(page(folder, 'list', '--since', '2999-01-01T00:00:00.000Z').data.length, 0)
  const { stdout } = run(folder, ['audit', 'list', '--limit', '1'])
  const [heading = '', line = '', more = ''] = stdout.split('\n')
  assert.match(heading, /^n {2}at +kind +actor +subject +agent_name +owner +source$/)
  assert.match(line, /^3 {2}\S+Z +agent\.create +cli \S+ +[0-9a-f-]{36} +two +- +-$/)
  assert.match(more, /^There is more: repeat the command with --cursor \S+$/)
})

test('audit refusals prints the counts of each minute', t => {
  const folder = makeStore(t)
  withFile(join(folder, '.mintmark', 'mintmark.db'), db => {
    db.exec(`insert into refused (at, way, client, source, count) values
      (60000, 'client', 'a', '192.0.2.1', 7), (120000, 'api_key', '', '', 2)`)
  })
  const NO_NAMES = { agent_name: null, owner: null }
  const rest = {
    minute: '1970-01-01T00:02:00.000Z',
    way: 'api_key',
    client_id: null,
    source: null,
    count: 2,
    ...NO_NAMES,
  }
  const one = {
    minute: '1970-01-01T00:01:00.000Z',
    way: 'client',
    client_id: 'a',
    source: '192.0.2.1',
    count: 7,
    ...NO_NAMES,
  }
  assert.deepEqual(page(folder, 'refusals'), { data: [rest, one], next_cursor: null })
  assert.deepEqual(page(folder, 'refusals', '--client-id', 'a').data, [one])
  assert.deepEqual(page(folder, 'refusals', '--way', 'api_key', '--before', '1970-01-01T00:02:00.000Z').data, [])
})

test('what a filter cannot be is a wrong usage', t => {
  const folder = makeFolder(t)
  for (const options of [
    ['list', '--since', 'yesterday'],
    ['list', '--limit', '0'],
    ['list', '--limit', '1001'],
    ['list', '--actor-type', 'robot'],
    ['refusals', '--way', 'guess'],
    ['list', '--kind', 'agent.disabel'],
    ['export', '--kind', 'agent.disabel'],
  ]) {
    assert.equal(run(folder, ['audit', ...options]).status, 2, options.join(' '))
  }
  const mistyped = run(folder, ['audit', 'list', '--kind', 'agent.disabel'])
  assert.match(mistyped.stderr, /Not known: agent\.disabel\. Known: .*agent\.disable, /)
})
