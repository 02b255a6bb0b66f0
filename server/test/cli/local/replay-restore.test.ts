// mintmark restore replay: what an export of the lost store says was disabled, deleted or revoked is so again.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { KEY, makeFolder, run, type Scope, scopeOfFile } from '../../../../testkit/commands/run-mintmark.ts'

type Made = Readonly<Record<'agent_id' | 'credential_id' | 'api_key_id', string>>

const BOUNDS = ['--scope', 'db:read', '--party', 'web']

const NEW = (alias: string) => `--alias ${alias} --issuer https://${alias}.example --type jwt`.split(' ')

/** A store that was restored from a backup, and the audit log of the time that was lost. */
const makeWorld = (t: Scope) => {
  const folder = makeFolder(t)
  const on = (place: string) => ({ MINTMARK_KEY_ENCRYPTION_KEY: KEY, MINTMARK_DATA_DIR: place })
  const printed = (place: string, ...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'], on(place))
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const lost = (...args: readonly string[]) => printed('lost', ...args) as Made
  const restored = (...args: readonly string[]) => printed('restored', ...args) as Readonly<Record<string, unknown>>
  lost('migrate')
  const agent = (name: string): string =>
    lost('agent', 'create', '--name', name, '--scope', 'db:read db:write').agent_id
  const [disabled, enabled, deleted, narrowed] = [agent('a'), agent('b'), agent('c'), agent('d')] as const
  const { credential_id: credential } = lost('credential', 'create', narrowed, '--name', 'second')
  const key = (name: string): string =>
    lost('api-key', 'create', '--name', name, '--permission', 'tokens:read').api_key_id
  const [revoked, kept] = [key('one'), key('two')]
  for (const alias of ['gone', 'narrow', 'off', 'on']) lost('issuer', 'create', ...NEW(alias), ...BOUNDS)
  lost('subject', 'block', 'narrow:before', '--yes')
  const { made_at: since } = lost('backup', 'backup.db') as unknown as { readonly made_at: string }
  for (const id of [disabled, enabled]) lost('agent', 'disable', id, '--yes')
  lost('agent', 'enable', enabled)
  lost('agent', 'delete', deleted, '--yes')
  lost('agent', 'change', narrowed, '--scope', 'db:read', '--yes')
  lost('credential', 'revoke', narrowed, credential, '--reason', 'secret_leaked', '--yes')
  lost('api-key', 'revoke', revoked, '--yes')
  for (const alias of ['on', 'off']) lost('issuer', 'disable', alias, '--yes')
  lost('issuer', 'enable', 'on')
  lost('issuer', 'change', 'narrow', '--lifetime-seconds', '15')
  lost('issuer', 'create', ...NEW('young'), ...BOUNDS)
  for (const one of ['narrow:gone', 'narrow:back', 'narrow:gone:twice', 'gone:ada', 'young:ada', 'young:back'])
    lost('subject', 'block', one, '--yes')
  for (const one of ['narrow:back', 'narrow:gone:twice', 'young:back', 'narrow:before']) lost('subject', 'unblock', one)
  lost('subject', 'block', 'narrow:gone:twice', '--yes')
  // Deleted only now: a deleted issuer has no subjects.
  lost('issuer', 'delete', 'gone', '--yes')
  const late = agent('e')
  lost('agent', 'disable', late, '--yes')
  assert.equal(run(folder, ['audit', 'export', '--output', 'audit.ndjson'], on('lost')).status, 0)
  restored('restore', 'from', 'backup.db', '--yes')
  const replay = ['restore', 'replay', 'audit.ndjson', '--since', since]
  const ids = { disabled, enabled, deleted, narrowed, credential, revoked, kept, late }
  return { folder, variables: on('restored'), restored, replay, ids }
}

const resultsIn = (data: unknown): readonly (readonly [string, string, string])[] =>
  (data as readonly Readonly<Record<'result' | 'kind' | 'subject', string>>[]).map(
    ({ result, kind, subject }) => [result, kind, subject] as const,
  )

let world: ReturnType<typeof makeWorld>

const scope = scopeOfFile()

before(() => {
  world = makeWorld(scope)
})

test('acts before the backup are not done again, and a file that is none leaves everything as it is', () => {
  const { folder, variables, restored, replay, ids } = world
  const later = [...replay.slice(0, -1), '2999-01-01T00:00:00.000Z', '--yes']
  assert.deepEqual(restored(...later), { data: [], left: [] })
  const lines = readFileSync(join(folder, 'audit.ndjson'), 'utf8').trimEnd().split('\n')
  writeFileSync(join(folder, 'broken.ndjson'), `${lines.join('\n')}\n{"kind":"agent.disable"}\n`)
  const broken = run(folder, [...replay.with(2, 'broken.ndjson'), '--yes'], variables)
  assert.equal(broken.status, 1)
  assert.match(
    broken.stderr,
    new RegExp(`^mintmark: Line ${lines.length + 1} is no entry of the audit log: .* Nothing was`),
  )
  assert.equal(restored('agent', 'show', ids.disabled)['disabled_at'], null)
  const odd = { kind: 'subject.block', subject: 'of-no-issuer', at: '2999-01-01T00:00:00.000Z' }
  writeFileSync(join(folder, 'odd.ndjson'), JSON.stringify({ n: 1, ...odd }))
  assert.deepEqual(restored(...replay.with(2, 'odd.ndjson'), '--yes'), { data: [], left: [odd] })
  const when = run(folder, [...replay.slice(0, -1), 'yesterday'], variables)
  assert.deepEqual([when.status, /Expected how long ago, such as 30d/.test(when.stderr)], [2, true])
})

test('what was disabled, deleted or revoked after the backup is so again, and who was blocked is, and the rest is listed', () => {
  const { folder, variables, restored, replay, ids } = world
  const asked = run(folder, replay, variables)
  assert.equal(asked.status, 2)
  assert.match(asked.stderr, /This disables, deletes, revokes or blocks again what 8 acts did after that time/)
  const { data, left } = restored(...replay, '--yes')
  const expected = [
    ['done', 'agent.disable', ids.disabled],
    ['done', 'agent.delete', ids.deleted],
    ['done', 'credential.revoke', ids.credential],
    ['done', 'api_key.revoke', ids.revoked],
    ['done', 'subject.block', 'narrow:gone'],
    ['done', 'subject.block', 'gone:ada'],
    ['done', 'subject.block', 'narrow:gone:twice'],
    ['not_there', 'agent.disable', ids.late],
  ] as const
  assert.deepEqual(resultsIn(data), expected)
  assert.deepEqual(
    (left as readonly Readonly<Record<'kind' | 'subject', string>>[]).map(({ kind, subject }) => [kind, subject]),
    [
      ['agent.change', ids.narrowed],
      ['issuer.disable', 'on'],
      ['issuer.disable', 'off'],
      ['issuer.change', 'narrow'],
      // The backup has no issuer of this alias.
      ['subject.block', 'young:ada'],
      ['issuer.delete', 'gone'],
    ],
  )
  restored('restore', 'accept', '--yes')
  assert.notEqual(restored('agent', 'show', ids.disabled)['disabled_at'], null)
  assert.equal(restored('agent', 'show', ids.enabled)['disabled_at'], null)
  assert.equal(run(folder, ['agent', 'show', ids.deleted], variables).status, 1)
  assert.equal(restored('issuer', 'show', 'off')['disabled_at'], null)
  const blocked = restored('subject', 'list', 'narrow')['data'] as readonly Readonly<Record<string, unknown>>[]
  assert.deepEqual(
    blocked.map(({ sub }) => sub),
    ['before', 'gone', 'gone:twice'],
  )
  assert.notEqual(restored('credential', 'show', ids.narrowed, ids.credential)['revoked_at'], null)
  assert.notEqual(restored('api-key', 'show', ids.revoked)['revoked_at'], null)
  assert.equal(restored('api-key', 'show', ids.kept)['revoked_at'], null)
  const again = run(folder, [...replay, '--yes'], variables)
  assert.equal(again.status, 0, again.stderr)
  assert.match(
    again.stdout,
    /not_there +agent\.delete .*\n[^]*6 acts done again\.\n6 changes left to you: look at each before/,
  )
})
