// mintmark token … and mintmark revocation …, run as a person runs them beside a service.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { run } from '../../../../testkit/commands/run-mintmark.ts'
import {
  createAgent,
  createApiKey,
  idOf,
  introspect,
  issue,
  startServing,
} from '../../../../testkit/commands/serving.ts'

type Fields = Readonly<Record<string, unknown>>
type Listed = { readonly data: readonly Fields[]; readonly next_cursor: string | null }

const NOBODY = '00000000-0000-7000-8000-000000000000'

const BY_US = { type: 'cli', id: userInfo().username }

const serving = await startServing({ after })

const makeWorld = () => {
  const [agent, apiKey] = [createAgent(serving), createApiKey(serving)]
  const issueOne = async () => (await issue(serving, agent)).body['access_token']
  const isActive = async (token: unknown) => (await introspect(serving, apiKey, token)).body['active']
  const list = (...args: readonly string[]): Listed =>
    serving.json('token', ...args, '--agent', agent.agent_id) as Listed
  return { agent, list, issueOne, isActive }
}

test('a token is listed and shown, ended by its id, and then in history with the note', async () => {
  const { agent, list, issueOne, isActive } = makeWorld()
  const token = await issueOne()
  const id = idOf(token)
  assert.deepEqual(
    list('list', '--scope', 'db:read').data.map(one => one['id']),
    [id],
  )
  const live = serving.json('token', 'show', id) as Fields
  assert.deepEqual([live['state'], live['ended_at'], live['agent_id']], ['active', null, agent.agent_id])
  const ended = serving.json(
    'token',
    'revoke',
    id,
    '--note',
    'seen in a log',
    '--reason',
    'secret_leaked',
    '--yes',
  ) as Fields
  assert.equal(await isActive(token), false)
  const { state, termination_reason, note, ended_by } = ended
  assert.deepEqual([state, termination_reason, note], ['ended', 'secret_leaked', 'seen in a log'])
  assert.deepEqual(ended_by, BY_US)
  const { changed, ...life } = ended
  assert.equal(changed, true)
  assert.deepEqual(serving.json('token', 'show', id), life)
  assert.deepEqual(list('list'), { data: [], next_cursor: null })
  const [{ state: _, ...record }] = [life]
  assert.deepEqual(list('history', '--reason', 'secret_leaked').data, [record])
  assert.deepEqual(list('history', '--reason', 'expired').data, [])
  assert.deepEqual(list('history', '--ended-before', String(ended['ended_at'])).data, [])
})

test('live and ended tokens are counted by the filters of their lists', async () => {
  const { list, issueOne } = makeWorld()
  const tokens = [await issueOne(), await issueOne(), await issueOne()]
  serving.json('token', 'revoke', idOf(tokens[0]), '--yes')
  assert.deepEqual(list('list', '--count'), { count: 2, exact: true })
  assert.deepEqual(list('list', '--count', '--scope', 'db:write'), { count: 0, exact: true })
  assert.deepEqual(list('history', '--count', '--reason', 'manual_revocation'), { count: 1, exact: true })
  assert.equal(run(serving.folder, ['token', 'list', '--count', '--limit', '1']).status, 2)
})

test('a list goes on from its cursor, which a person is shown too', async () => {
  const { agent, list, issueOne } = makeWorld()
  const ids = [idOf(await issueOne()), idOf(await issueOne())]
  const first = list('list', '--limit', '1')
  const second = list('list', '--limit', '1', '--cursor', first.next_cursor ?? '')
  assert.deepEqual(
    [...first.data, ...second.data].map(one => one['id']),
    ids.toSorted().toReversed(), // by their time, and within a millisecond by chance
  )
  const { stdout } = run(serving.folder, ['token', 'list', '--limit', '1', '--agent', agent.agent_id])
  assert.ok(stdout.includes(`--cursor ${first.next_cursor}\n`), stdout)
})

test('revocation create counts first, asks for a yes, and ends everything only then', async () => {
  const { agent, issueOne, isActive } = makeWorld()
  const token = await issueOne()
  const create = ['revocation', 'create', '--agent', agent.agent_id]
  const { sample, plan_id, plan_expires_at, ...counted } = serving.json(...create, '--dry-run') as Fields
  assert.deepEqual([typeof plan_id, typeof plan_expires_at], ['string', 'string'])
  assert.deepEqual(counted, { dry_run: true, tokens: 1, tokens_exact: true, agents: null })
  assert.deepEqual(
    (sample as Fields[]).map(one => one['id']),
    [idOf(token)],
  )
  const { name } = serving.json('agent', 'show', agent.agent_id) as { readonly name: string }
  const refused = run(serving.folder, create)
  assert.deepEqual(
    [refused.status, refused.stderr],
    [
      2,
      `mintmark: This ends every token of agent ${agent.agent_id} (${name}): 1 alive now. If that is meant, run it again with --yes.\n`,
    ],
  )
  assert.equal(await isActive(token), true)
  const made = serving.json(...create, '--yes', '--note', 'drill') as Fields
  assert.equal(await isActive(token), false)
  assert.deepEqual([made['created_by'], made['note'], made['reason']], [BY_US, 'drill', 'bulk_revocation'])
  assert.deepEqual(serving.json('revocation', 'show', String(made['id'])), made)
  assert.equal((serving.json('token', 'show', idOf(token)) as Fields)['revocation_id'], made['id'])
})

test('a whole token in the place of its id is refused with its id, and is not repeated', async () => {
  const { issueOne } = makeWorld()
  const token = String(await issueOne())
  for (const verb of ['show', 'revoke']) {
    const { status, stdout, stderr } = run(serving.folder, ['token', verb, token])
    assert.deepEqual([status, stdout], [2, ''])
    assert.ok(stderr.includes(`Its id is ${idOf(token)}`), stderr)
    assert.ok(!stderr.includes(token.split('.')[2] ?? token), stderr)
  }
  assert.match(run(serving.folder, ['token', 'show', 'a.b.c']).stderr, /Its jti is the id\./)
})

test('a revocation of nothing in particular names the options, and a mistyped reason the known ones', () => {
  const nothing = run(serving.folder, ['revocation', 'create', '--yes'])
  assert.match(nothing.stderr, /--agent, --credential, --scope, --audience, --kid, --issued-before, --lineage, .*--all/)
  const mistyped = run(serving.folder, ['token', 'history', '--reason', 'manual_revocatio,expired'])
  assert.match(
    mistyped.stderr,
    /Not known: manual_revocatio\. Known: expired, manual_revocation, .*subject_blocked, agent_expired\./,
  )
})

test('a condition of a revocation that is given twice is refused: one of the two would be ended, and the other live on', () => {
  for (const [option, one, other] of [
    ['--owner', 'Ada', 'Bo'],
    ['--scope', 'db:read', 'db:write'],
    ['--audience', 'https://a.example', 'https://b.example'],
    ['--issued-before', '1h', '2h'],
  ] as const) {
    const { status, stderr } = run(serving.folder, ['revocation', 'create', option, one, option, other, '--yes'])
    assert.deepEqual([status, stderr.includes('It is given twice')], [2, true], stderr)
  }
})

test('with --json a failure is one line of JSON on standard error, with the exit code as ever', () => {
  const FAILURES: readonly (readonly [number, string, ...string[]])[] = [
    [1, 'not_found', 'token', 'show', NOBODY, '--json'],
    [2, 'usage', 'token', 'show', 'nobody', '--json'],
    [2, 'usage', 'token', 'list', '--json', '--limit', '0'],
    [2, 'usage', 'token', 'list', '--json', '--nothing'],
  ]
  for (const [status, error, ...args] of FAILURES) {
    const ended = run(serving.folder, args)
    assert.deepEqual([ended.status, ended.stdout], [status, ''], args.join(' '))
    const reported = JSON.parse(ended.stderr) as Fields
    assert.deepEqual(
      [Object.keys(reported), reported['error']],
      [['error', 'error_description'], error],
      args.join(' '),
    )
    assert.equal(ended.stderr.trim().split('\n').length, 1)
  }
  assert.match(run(serving.folder, ['token', 'show', NOBODY, '--', '--json']).stderr, /^mintmark: /)
})

test('what names nothing is refused with 1, and a wrong usage with 2', () => {
  const REFUSED: readonly (readonly [number, ...string[]])[] = [
    [1, 'token', 'show', NOBODY],
    [1, 'token', 'revoke', NOBODY, '--yes'],
    [1, 'revocation', 'show', NOBODY],
    [2, 'revocation', 'show', 'nobody'],
    [2, 'token', 'show', 'nobody'],
    [2, 'token', 'revoke', 'nobody', '--yes'],
    [2, 'revocation', 'create', '--yes'],
    [2, 'revocation', 'create', '--dry-run'],
    [2, 'revocation', 'create', '--all', '--scope', 'db:read', '--yes'],
    [2, 'token', 'history', '--reason', 'of_another_version'],
    [2, 'token', 'export-history', '--reason', 'expired,of_another_version'],
    [2, 'token', 'list', '--agent', 'nobody'],
    [2, 'token', 'list', '--limit', '1001'],
    [2, 'token', 'history', '--ended-after', 'yesterday'],
    [2, 'revocation', 'create', '--issued-before', 'yesterday'],
  ]
  for (const [status, ...args] of REFUSED) {
    const ended = run(serving.folder, args)
    assert.equal(ended.status, status, `${args.join(' ')}: ${ended.stderr}`)
    assert.match(ended.stderr, /^mintmark: /)
    assert.equal(ended.stdout, '')
  }
})

test('a revocation with --plan shows what would end, asks, and ends that', async () => {
  const { agent, issueOne, isActive } = makeWorld()
  const token = await issueOne()
  const args = ['revocation', 'create', '--agent', agent.agent_id, '--plan']
  const asked = run(serving.folder, args)
  assert.equal(asked.status, 2)
  assert.match(asked.stdout, /^Tokens that would end: 1\n/)
  assert.ok(asked.stdout.includes(idOf(token)), asked.stdout)
  assert.match(asked.stderr, /This ends every token of agent .*: 1 alive now\./)
  assert.equal(await isActive(token), true)
  const made = run(serving.folder, [...args, '--yes', '--json'])
  assert.equal(made.status, 0, made.stderr)
  assert.equal(await isActive(token), false)
  assert.match(run(serving.folder, args).stdout, /^Tokens that would end: 0\n/, 'the plan of a command is its own')
  const both = run(serving.folder, [...args, '--dry-run'])
  assert.equal(both.status, 2)
})
