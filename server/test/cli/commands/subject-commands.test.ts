// mintmark subject …, run as a person runs it.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'
import { EXIT } from '../../../src/cli/terminal/exit.ts'

const makeWorld = (t: TestContext) => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  const json = (...args: readonly string[]): Readonly<Record<string, unknown>> => {
    const { status, stdout, stderr } = run(folder, [...args, '--json'])
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>
  }
  for (const alias of ['entra', 'okta'])
    json(
      'issuer',
      'create',
      ...`--alias ${alias} --issuer https://${alias}.example --type id_token`.split(' '),
      ...SCOPE,
    )
  const subject = (...args: readonly string[]) => run(folder, ['subject', ...args])
  const listed = (...args: readonly string[]) =>
    (json('subject', 'list', ...args)['data'] as readonly Readonly<Record<string, unknown>>[]).map(one => one['sub'])
  return { json, subject, listed }
}

const SCOPE = ['--scope', 'db:read']
const BUILD = 'repo:org/app:ref:main'

test('subject block blocks once and keeps the first note, and subject unblock clears it', t => {
  const { json } = makeWorld(t)
  const { blocked_at, ...blocked } = json('subject', 'block', 'entra:ada', '--note', 'left', '--yes')
  assert.match(String(blocked_at), /Z$/)
  const by = { type: 'cli', id: userInfo().username }
  const record = { issuer: 'entra', sub: 'ada', blocked_by: by, note: 'left' }
  assert.deepEqual(blocked, { ...record, changed: true })
  const again = json('subject', 'block', 'entra:ada', '--note', 'again', '--yes')
  assert.deepEqual(again, { ...record, blocked_at, changed: false })
  assert.deepEqual(json('subject', 'list', 'entra'), { data: [{ ...record, blocked_at }] })
  const cleared = { issuer: 'entra', sub: 'ada', blocked_at: null, blocked_by: null, note: null }
  assert.deepEqual(json('subject', 'unblock', 'entra:ada', '--note', 'back'), { ...cleared, changed: true })
  assert.deepEqual(json('subject', 'unblock', 'entra:ada'), { ...cleared, changed: false })
  assert.deepEqual(json('subject', 'list', 'entra'), { data: [] })
  const { data } = json('audit', 'list', '--subject', 'entra:ada')
  assert.deepEqual(
    (data as readonly Readonly<Record<string, unknown>>[]).map(({ kind, note }) => [kind, note]),
    [
      ['subject.unblock', 'back'],
      ['subject.block', 'left'],
    ],
  )
})

test('subject list shows those of one issuer, or one of them; a subject may hold colons', t => {
  const { json, subject, listed } = makeWorld(t)
  for (const one of ['entra:bob', `entra:${BUILD}`, 'okta:ada']) json('subject', 'block', one, '--yes')
  assert.deepEqual([listed('entra'), listed('okta')], [['bob', BUILD], ['ada']])
  assert.deepEqual(listed('entra', '--sub', BUILD), [BUILD])
  assert.deepEqual(listed('entra', '--sub', 'ada'), [])
  assert.match(subject('list', 'okta').stdout, /^sub +blocked_at +blocked_by +note\nada +\S+Z +cli \S+ +-\n$/)
})

test('subject block says what it does: --dry-run does nothing, and without --yes nobody is asked at a pipe', t => {
  const { json, subject, listed } = makeWorld(t)
  const sentence = 'This refuses the JWTs of entra:ada until it is unblocked. Tokens that end: 0 alive now.'
  const dry = subject('block', 'entra:ada', '--dry-run')
  assert.deepEqual([dry.status, dry.stdout.split('\n')[0]], [0, `A dry run: nothing is done. ${sentence}`])
  const asked = subject('block', 'entra:ada')
  const line = `mintmark: ${sentence} If that is meant, run it again with --yes.\n`
  assert.deepEqual([asked.status, asked.stderr], [EXIT.usage, line])
  assert.deepEqual(listed('entra'), [])
  json('subject', 'block', 'entra:ada', '--yes')
  const again = subject('block', 'entra:ada')
  assert.deepEqual(
    [again.status, /^changed +false$/m.test(again.stdout)],
    [0, true],
    'What changes nothing asks nobody.',
  )
})

test('what is no ALIAS:SUB is wrong usage, and an alias of no issuer is refused', t => {
  const { subject } = makeWorld(t)
  for (const text of ['ada', 'entra:', ':ada', 'Entra:ada', 'entra:a da', `entra:${'~'.repeat(256)}`]) {
    for (const [verb = '', ...more] of [['block', '--yes'], ['unblock']]) {
      const { status, stdout, stderr } = subject(verb, text, ...more)
      assert.deepEqual([status, stdout], [EXIT.usage, ''], `${verb} ${text}`)
      assert.match(stderr, /Expected ALIAS:SUB, a subject of a trusted issuer\.\n$/)
    }
  }
  for (const args of [
    ['block', 'other:ada', '--yes'],
    ['unblock', 'other:ada'],
    ['list', 'other'],
  ]) {
    const { status, stderr } = subject(...args)
    assert.deepEqual(
      [status, stderr.startsWith('mintmark: No trusted issuer has the alias other')],
      [EXIT.failed, true],
      stderr,
    )
  }
})

test('a subject whose issuer calls it by the id of an agent is not shown as that agent', t => {
  const { json, subject } = makeWorld(t)
  const id = String(json('agent', 'create', '--name', 'reports', ...SCOPE)['agent_id'])
  const { stdout } = subject('block', `entra:${id}`, '--yes')
  assert.match(stdout, new RegExp(`^sub +${id}$`, 'm'))
  assert.match(subject('unblock', `entra:${id}`).stdout, new RegExp(`^sub +${id}$`, 'm'))
})
