// mintmark token … and mintmark revocation …, run as a person runs them beside a service.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { run } from './run-mintmark.ts'
import { createAgent, createApiKey, idOf, introspect, issue, startServing } from './serving.ts'

type Fields = Readonly<Record<string, unknown>>
type Listed = { readonly data: readonly Fields[]; readonly next_cursor: string | null }

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
  assert.deepEqual(serving.json('token', 'show', id), ended)
  assert.deepEqual(list('list'), { data: [], next_cursor: null })
  const [{ state: _, ...record }] = [ended]
  assert.deepEqual(list('history', '--reason', 'secret_leaked').data, [record])
  assert.deepEqual(list('history', '--reason', 'expired').data, [])
  assert.deepEqual(list('history', '--ended-before', String(ended['ended_at'])).data, [])
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
  const { sample, ...counted } = serving.json(...create, '--dry-run') as Fields
  assert.deepEqual(counted, { dry_run: true, tokens: 1, tokens_exact: true })
  assert.deepEqual(
    (sample as Fields[]).map(one => one['id']),
    [idOf(token)],
  )
  const refused = run(serving.folder, create)
  assert.deepEqual(
    [refused.status, refused.stderr],
    [
      2,
      `mintmark: This ends every token of agent ${agent.agent_id}: 1 alive now. If that is meant, run it again with --yes.\n`,
    ],
  )
  assert.equal(await isActive(token), true)
  const made = serving.json(...create, '--yes', '--note', 'drill') as Fields
  assert.equal(await isActive(token), false)
  assert.deepEqual([made['created_by'], made['note'], made['reason']], [BY_US, 'drill', 'bulk_revocation'])
  assert.deepEqual(serving.json('revocation', 'show', String(made['id'])), made)
  assert.equal((serving.json('token', 'show', idOf(token)) as Fields)['revocation_id'], made['id'])
})

test('what names nothing is refused with 1, and a wrong usage with 2', () => {
  const REFUSED: readonly (readonly [number, ...string[]])[] = [
    [1, 'token', 'show', 'nobody'],
    [1, 'token', 'revoke', 'nobody', '--yes'],
    [1, 'revocation', 'show', 'nobody'],
    [1, 'revocation', 'create', '--yes'],
    [1, 'revocation', 'create', '--all', '--scope', 'db:read', '--yes'],
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
