// Odd text in the answers of a service, at the terminal: in tables, in records, as JSON and in failures.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeFolder, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { ODD_TEXTS } from '../../../../testkit/parsers/hostile-inputs.ts'

const TEXTS = Object.values(ODD_TEXTS)
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u
const AT = '2026-11-21T09:30:00.000Z'

const agentOf = (text: string) => ({
  agent_id: text,
  client_id: text,
  name: text,
  description: text,
  owner: text,
  labels: { [text]: text },
  scope: text,
  resources: [text],
  created_at: AT,
  [text]: { [text]: [text, { [text]: text }] },
})

const entryOf = (text: string, n: number) => ({
  n,
  at: AT,
  kind: text,
  subject: text,
  actor: { type: 'operator', iss: text, sub: text },
  detail: { [text]: text },
  note: text,
  request_id: text,
  source: text,
})

const LISTS: Readonly<Record<string, readonly unknown[]>> = {
  '/api/v1/agents': TEXTS.map(agentOf),
  '/api/v1/audit': TEXTS.map(entryOf),
  '/api/v1/usage/agents': TEXTS.map(text => ({ ...agentOf(text), state: text, tokens_last_minute: text })),
}

const idOf = (n: number): string => `6f1d7c1e-4f5a-4c63-9d0f-${String(n).padStart(12, '0')}`
const UNKNOWN = idOf(999_999)

let server: Server
let url = ''

before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1')
    const data = LISTS[pathname]
    const text = TEXTS[Number(pathname.split('-').at(-1))]
    const isBad = data === undefined && text === undefined
    const found = data === undefined ? agentOf(text ?? '') : { data, next_cursor: null, unknown: [] }
    const body = isBad ? { error: 'not_found', error_description: TEXTS.join(' ') } : found
    const type = isBad ? 'application/problem+json' : 'application/json'
    response.writeHead(isBad ? 404 : 200, { 'content-type': type }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

after(() => {
  server.closeAllConnections()
  server.close()
})

const COMMANDS: readonly (readonly [args: readonly string[], records: number])[] = [
  [['agent', 'list'], TEXTS.length],
  [['audit', 'list'], TEXTS.length],
  [['top'], TEXTS.length],
  ...TEXTS.map((_, n) => [['agent', 'show', idOf(n)], 1] as const),
  [['agent', 'show', UNKNOWN], 0],
]

test('no text of an answer reaches a terminal with a character that it obeys, nor adds a line of its own', async t => {
  const folder = makeFolder(t)
  const variables = { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' }
  for (const [args, records] of COMMANDS) {
    const { status, stdout, stderr } = await runAside(folder, args, { variables })
    assert.equal(status, records === 0 ? 1 : 0, stderr)
    assert.doesNotMatch(stdout + stderr, UNPRINTABLE)
    // The names of the columns, a record a line, and where the next page begins.
    if (records > 1) assert.ok(stdout.trimEnd().split('\n').length <= records + 2, stdout)
    if (records === 0) assert.match(stderr, /^mintmark: [^\n]+\n$/)
  }
})

test('the candidates of a name are a line each, whatever their names hold', async t => {
  const variables = { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' }
  const { status, stdout, stderr } = await runAside(makeFolder(t), ['agent', 'show', 'a'], { variables })
  assert.deepEqual([status, stdout], [2, ''])
  assert.doesNotMatch(stderr, UNPRINTABLE)
  assert.ok(stderr.trimEnd().split('\n').length <= 11, stderr)
})

test('as JSON every text comes back from one line as it was, without such a character', async t => {
  const folder = makeFolder(t)
  const variables = { MINTMARK_URL: url, MINTMARK_API_KEY: 'key' }
  for (const [path, expected] of [
    ['agent', LISTS['/api/v1/agents']],
    ['audit', LISTS['/api/v1/audit']],
  ] as const) {
    const { status, stdout, stderr } = await runAside(folder, [path, 'list', '--json'], { variables })
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^[^\n]+\n$/)
    assert.doesNotMatch(stdout, UNPRINTABLE)
    assert.deepEqual((JSON.parse(stdout) as { data: unknown }).data, expected)
  }
  const failed = await runAside(folder, ['agent', 'show', UNKNOWN, '--json'], { variables })
  assert.doesNotMatch(failed.stderr, UNPRINTABLE)
  assert.equal(
    (JSON.parse(failed.stderr) as { error_description: string }).error_description,
    TEXTS.join(' ').replaceAll(/[\r\n]+/g, ' '),
  )
})
