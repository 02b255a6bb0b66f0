// mintmark apply and export agents, run as a person runs them.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'
import { execBeside } from '../../../../testkit/stores/store-file.ts'

const ENVIRONMENT = { MINTMARK_BASE_URL: 'https://auth.example.com', MINTMARK_KEY_ENCRYPTION_KEY: KEY }

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  return folder
}

const apply = (folder: string, text: string, ...options: readonly string[]) => {
  writeFileSync(join(folder, 'agents.yaml'), text)
  return run(folder, ['apply', join(folder, 'agents.yaml'), ...options], ENVIRONMENT)
}

const FILE = `
kind: agent
name: deploys
scope: deploy:*
labels: {team: platform}
---
kind: credential
agent: deploys
name: ci
workload_identity:
  issuer: https://ci.example
  subject: repo:acme/site:ref:refs/heads/main
  jwks_uri: https://ci.example/keys
`

const AGENT = 'kind: agent\nname: x\nscope: db:read\n'
const CREDENTIAL = `kind: credential
agent: x
name: ci
workload_identity: {issuer: "https://ci.example", subject: s, jwks_uri: "https://ci.example/keys"}
`

test('a first run says what it makes and makes it, and a second one finds nothing that differs', t => {
  const folder = makeStore(t)
  const planned = apply(folder, FILE, '--dry-run')
  assert.deepEqual([planned.status, planned.stderr], [2, 'mintmark: 2 records would change. Nothing was done.\n'])
  assert.match(planned.stdout, /^\+ agent deploys {2}labels: \{"team":"platform"\} {2}scope: deploy:\*$/m)
  assert.match(planned.stdout, /^\+ credential deploys\/ci /m)
  assert.match(planned.stdout, /^2 to create; ends 0 live tokens\.$/m)
  assert.match(apply(folder, FILE).stderr, /run it again with --yes/)
  assert.deepEqual([apply(folder, FILE, '--yes').status, apply(folder, FILE, '--yes').status], [0, 0])
  assert.deepEqual(
    [apply(folder, FILE, '--dry-run').status, apply(folder, FILE, '--dry-run').stdout],
    [0, 'Nothing differs.\n'],
  )
})

test('what is in no file is named, deleted by --prune alone, and looks renamed where it does', t => {
  const folder = makeStore(t)
  apply(folder, FILE, '--yes')
  const renamed = FILE.replaceAll('deploys', 'rollouts')
  const hint = /^\+ agent rollouts .*renamed\? deploys with agent_id: [\w-]{36} keeps its id and tokens$/m
  const left = apply(folder, renamed.replace('repo:acme/site', 'repo:acme/other'), '--dry-run')
  assert.match(left.stdout, hint)
  assert.match(left.stdout, /^ {2}kept, though in no file: 1 record of the set; --prune deletes such$/m)
  const refused = apply(folder, renamed, '--dry-run', '--prune')
  assert.equal(refused.status, 1, 'a workload is one credential’s')
  assert.match(refused.stdout, hint)
  const alone = renamed.split('---')[0] ?? ''
  const both = apply(folder, alone, '--dry-run', '--prune')
  assert.match(both.stdout, hint)
  assert.match(both.stdout, /^- agent deploys {3}ends 0 live tokens \(agent_deleted\)$/m)
  assert.equal(apply(folder, alone, '--yes', '--prune').status, 0)
  const { stdout } = run(folder, ['agent', 'list', '--json'], ENVIRONMENT)
  assert.deepEqual(
    (JSON.parse(stdout) as { data: { name: string }[] }).data.map(({ name }) => name),
    ['rollouts'],
  )
  assert.match(apply(folder, '[]', '--dry-run', '--prune').stdout, /^1 to delete; ends 0 live tokens\.$/m)
})

test('an agent whose credential is in a file is not deleted because its own document is missing', t => {
  const folder = makeStore(t)
  apply(folder, FILE, '--yes')
  const { status, stderr } = apply(folder, FILE.split('---')[1] ?? '', '--yes', '--prune')
  assert.equal(status, 1)
  assert.match(stderr, /agents\.yaml:2: its agent is in no file, and --prune would delete it\./)
})

test('an agent whose name another one gives up is declared in the next run', t => {
  const folder = makeStore(t)
  const id = '6f1f6e2e-6d5b-4f3b-8a3b-0d9b6a5d1c11'
  assert.equal(apply(folder, `${AGENT}agent_id: ${id}\n`, '--yes').status, 0)
  const moved = `${AGENT.replace('x', 'y')}agent_id: ${id}\n`
  const both = apply(folder, `${moved}---\n${AGENT}`, '--yes')
  assert.equal(both.status, 1)
  assert.match(both.stderr, /:6: it is the same agent as \S+:1\./)
  assert.deepEqual(
    [apply(folder, moved, '--yes').status, apply(folder, `${moved}---\n${AGENT}`, '--yes').status],
    [0, 0],
  )
})

test('a plan as Markdown stays in its block, and as JSON says where each record stands', t => {
  const folder = makeStore(t)
  const { stdout } = apply(
    folder,
    'kind: agent\nname: "a ```` b"\nscope: db:read\n',
    '--dry-run',
    '--format',
    'markdown',
  )
  assert.match(
    stdout,
    /^\*\*mintmark apply\*\*: 1 to create; ends 0 live tokens\.\n\n`````diff\n\+ agent a ```` b .*\n`````\n$/,
  )
  const json = JSON.parse(apply(folder, FILE, '--dry-run', '--format', 'json').stdout) as { data: { place: string }[] }
  assert.match(json.data[0]?.place ?? '', /agents\.yaml:2$/)
})

const HOSTILE: readonly (readonly [text: string, expected: RegExp])[] = [
  ['kind: agent\nname: &a x\nscope: db:read', /:2: an anchor is not allowed/],
  ['kind: agent\nname: *a\nscope: db:read', /:2: an alias is not allowed/],
  ['kind: agent\nname: !!str x\nscope: db:read', /:2: a tag is not allowed/],
  ['kind: agent\nname: x\nname: y\nscope: db:read', /:3: a key that repeats another is not allowed/],
  [
    'kind: agent\nname: x\nscope: db:read\nsecret: hunter2',
    /:1: has a member that this operation does not know: secret/,
  ],
  ['kind: agent\nname: x\nscope: db:read\nlifetime_seconds: .nan', /:1: a number is infinite, or none/],
  ['kind: agent\nname: x\nscope: "db read"', /:1: scope is not 1 to 16 items/],
  ['kind: removal\nof: agent\nid: x', /:1: kind is not one of issuer, agent, credential/],
  ['kind: secret\nname: x', /:1: kind is not one of issuer, agent, credential/],
  ['just a text', /:1: a document is one record/],
  ['kind: credential\nagent: x\nname: y', /:1: needs exactly one of private_key_jwt/],
  [
    'kind: credential\nagent: nobody\nname: y\nworkload_identity: {issuer: "https://a.example", subject: s}',
    /agent: no agent has/,
  ],
  [`kind: ${'['.repeat(20_000)}`, /nested too deeply|:1: /],
  ['kind: agent\n\tname: x', /:2: Tabs are not allowed/],
  ['# nothing\n---\n', /agents\.yaml: it holds no record\. Where none is to be left, write an empty list: \[\]\./],
  [`${AGENT}---\n${AGENT}`, /:5: it is the same agent as \S+:1\. Declare it once/],
  [`${AGENT}---\n${CREDENTIAL}---\n${CREDENTIAL}`, /:10: it is the same credential as \S+:5\./],
  [
    `${AGENT}---\n${CREDENTIAL}---\n${CREDENTIAL.replace('name: ', 'name: other ')}`,
    /:10: it is the same credential as \S+:5\./,
  ],
  ['kind: agent\nname: x\nscope: db:read\n__proto__: {polluted: true}', /a member that this operation does not know/],
]

test('what a file may not hold is refused with its place, and nothing is done', t => {
  const folder = makeStore(t)
  for (const [text, expected] of HOSTILE) {
    const { status, stdout, stderr } = apply(folder, text, '--yes')
    assert.equal(status, 1, text)
    assert.match(stdout + stderr, expected, text)
  }
  assert.equal(run(folder, ['agent', 'list', '--json'], ENVIRONMENT).stdout, '{"data":[]}\n')
})

test('what is exported from one store, applied to another and exported again, is the same, without secrets', async t => {
  const folder = makeStore(t)
  apply(folder, FILE, '--yes')
  run(
    folder,
    ['agent', 'create', '--name', 'by hand', '--scope', 'db:read', '--claims', '{"https://a.example/x":1}'],
    ENVIRONMENT,
  )
  const over = ['--issuer', 'https://ci.example', '--subject', 'over', '--name', 'over']
  run(folder, ['credential', 'create', 'by hand', ...over, '--expires-in', '1h'], ENVIRONMENT)
  const expire = "update credential set expires_at = created_at where name = 'over'"
  await execBeside(join(folder, '.mintmark', 'mintmark.db'), expire)
  const first = run(folder, ['export', 'agents'], ENVIRONMENT)
  assert.match(first.stderr, /Left out: 1 secret/)
  assert.doesNotMatch(first.stdout, /secret/)
  const other = makeStore(t)
  assert.equal(apply(other, first.stdout, '--yes').status, 0)
  assert.equal(run(other, ['export', 'agents'], ENVIRONMENT).stdout, first.stdout)
  const json = run(other, ['export', 'agents', '--format', 'json'], ENVIRONMENT).stdout
  assert.equal(apply(other, json, '--dry-run').status, 0)
  assert.ok(readFileSync(join(other, 'agents.yaml'), 'utf8').startsWith('['))
})

test('more records than a plan takes are planned and applied in parts', t => {
  const folder = makeStore(t)
  const many = Array.from({ length: 250 }, (_, n) => `---\nkind: agent\nname: agent ${n}\nscope: db:read\n`).join('')
  const { status, stderr } = apply(folder, many, '--yes')
  assert.deepEqual([status, stderr], [0, 'Done: 250 records.\n'])
  assert.equal(apply(folder, many, '--dry-run').stdout, 'Nothing differs.\n')
})
