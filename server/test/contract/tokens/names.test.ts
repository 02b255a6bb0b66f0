// The names beside ids in records of tokens, history, the audit log and usage: whose they are, and who sees them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { admin, call, type Headers, operator } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { askToken, basic, claimsOf, get, introspect, issue, postForm } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const service = useService()
const server = service.apiKey('tokens:introspect')

const idOf = (token: string): string => String(claimsOf(token)['jti'])

/** An API key with several permissions. */
const keyWith = async (name: string, ...permissions: readonly string[]): Promise<{ id: string; headers: Headers }> => {
  const body = { name, permissions }
  const made = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
  const { api_key_id: id, api_key: key } = made.json as { api_key_id: string; api_key: string }
  return { id, headers: { 'x-api-key': key } }
}

const read = async (path: string, headers: Headers): Promise<Fields> => {
  const answer = await get(service, `/api/v1${path}`, headers)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Fields
}

const dataOf = async (path: string, headers: Headers): Promise<readonly Fields[]> =>
  (await read(path, headers))['data'] as readonly Fields[]

let agents = 0

/** An agent that got two tokens of which it ended one, was refused once and was asked about; and where all that is read. */
const makeWorld = async () => {
  agents += 1
  const [name, owner] = [`reports ${agents}`, `Ada ${agents}`]
  const agent = await service.createAgent({ name, owner })
  const { agentId, clientId, clientSecret } = agent
  const [token, ended] = [await issue(service, agent), await issue(service, agent)]
  await postForm(service, '/oauth/revoke', { token: ended }, basic(clientId, clientSecret))
  for (const text of [token, ended]) await introspect(service, server.key, text)
  await askToken(service, { ...agent, clientSecret: 'wrong' })
  await call(
    service,
    { method: 'POST', path: `/api/v1/agents/${agentId}/credentials`, body: { name: 'second' } },
    await admin(service),
  )
  await service.settle()
  const conditions = { agent_id: agentId, dry_run: true }
  const samples = async (headers: Headers): Promise<readonly Fields[]> =>
    ((await call(service, { method: 'POST', path: '/api/v1/revocations', body: conditions }, headers)).json as Fields)[
      'sample'
    ] as readonly Fields[]
  const one = async (path: string, member: string, headers: Headers) => [(await read(path, headers))[member] as Fields]
  const READS: Readonly<Record<string, (headers: Headers) => Promise<readonly Fields[]>>> = {
    tokens: headers => dataOf(`/tokens?agent_id=${agentId}`, headers),
    history: headers => dataOf(`/tokens/history?agent_id=${agentId}`, headers),
    lineage: headers => dataOf(`/tokens/${idOf(token)}/lineage`, headers),
    'a token': async headers => [await read(`/tokens/${idOf(ended)}`, headers)],
    'an explanation': headers => one(`/tokens/${idOf(token)}/explain`, 'token', headers),
    'a dry run': samples,
    'audit entries of the agent': headers => dataOf(`/audit?subject=${agentId}&kind=agent.create`, headers),
    'audit entries of what is its own': headers => dataOf('/audit?kind=credential.create&limit=1', headers),
    refusals: headers => dataOf(`/audit/refusals?client_id=${clientId}`, headers),
    uses: headers => dataOf(`/usage?agent_id=${agentId}`, headers),
    'uses after the end': headers => dataOf(`/usage/after-end?agent_id=${agentId}`, headers),
  }
  return { name, owner, agentId, clientId, ended, READS }
}

const namesIn = (record: Fields | undefined) => [record?.['agent_name'], record?.['owner']]

const READER = ['tokens:read', 'tokens:revoke', 'audit:read']

test('every record of an agent has its name and owner, for a caller who may read agents, and null for any other', async () => {
  const { name, owner, READS } = await makeWorld()
  const [viewer, knowing, blind] = [
    await operator(service, 'operator'),
    (await keyWith('knowing', ...READER, 'agents:read')).headers,
    (await keyWith('blind', ...READER)).headers,
  ]
  for (const [what, readRecords] of Object.entries(READS)) {
    for (const headers of [viewer, knowing]) {
      const records = await readRecords(headers)
      assert.ok(records.length > 0, what)
      for (const record of records) assert.deepEqual(namesIn(record), [name, owner], what)
    }
    const unnamed = await readRecords(blind)
    for (const record of unnamed) assert.deepEqual(namesIn(record), [null, null], what)
    assert.ok(!JSON.stringify(unnamed.map(record => ({ ...record, detail: null }))).includes(name), what)
  }
})

test('the names are those of now; of an agent that was deleted those that it had last', async () => {
  const { agentId, READS } = await makeWorld()
  const headers = await admin(service)
  const path = `/api/v1/agents/${agentId}`
  await call(service, { method: 'PATCH', path, body: { name: 'renamed', owner: null } }, headers)
  for (const [what, readRecords] of Object.entries(READS)) {
    assert.deepEqual(namesIn((await readRecords(headers))[0]), ['renamed', null], what)
  }
  assert.equal((await call(service, { method: 'DELETE', path }, headers)).status, 204)
  for (const what of ['history', 'a token', 'refusals', 'uses', 'audit entries of the agent']) {
    assert.deepEqual(namesIn((await READS[what]?.(headers))?.[0]), ['renamed', null], what)
  }
})

test('who acted is named: a client by its agent, an API key to those who may read keys', async () => {
  const { name, ended, clientId } = await makeWorld()
  const [first, second] = [await admin(service), await operator(service, 'operator')]
  const by = async (headers: Headers) => (await read(`/tokens/${idOf(ended)}`, headers))['ended_by']
  assert.deepEqual(await by(second), { type: 'client', id: clientId, name })
  const { id, headers } = await keyWith('acting', 'audit:read', 'agents:read', 'agents:write')
  const made = await call(
    service,
    { method: 'POST', path: '/api/v1/agents', body: { name: `by ${id}`, scope: 'db:read' } },
    headers,
  )
  assert.equal(made.status, 201, made.text)
  const actorTo = async (reader: Headers) =>
    (await dataOf(`/audit?actor_type=api_key&actor_id=${id}`, reader)).map(({ actor }) => actor)
  assert.deepEqual(await actorTo(first), [{ type: 'api_key', id, name: 'acting' }])
  for (const reader of [second, headers]) assert.deepEqual(await actorTo(reader), [{ type: 'api_key', id }])
})

test('the subject and the actors of a token are named, and an agent without an owner has none', async () => {
  const agent = await service.createAgent({ name: 'the subject', owner: 'Grace' })
  const relay = await service.createAgent({
    name: 'the relay',
    grantTypes: [TOKEN_EXCHANGE],
    actsFor: ['*'],
    receives: [AUDIENCE],
  })
  const id = idOf(await exchange(service, relay, await issue(service, agent)))
  const { subject, actors, actor_names, agent_name, owner } = await read(`/tokens/${id}`, await admin(service))
  assert.deepEqual(
    { subject, actors, actor_names, agent_name, owner },
    {
      subject: { agent_id: agent.agentId, agent_name: 'the subject' },
      actors: [relay.agentId],
      actor_names: ['the relay'],
      agent_name: 'the relay',
      owner: null,
    },
  )
})

test('a page names all its agents, also where those are more than one statement takes', async () => {
  const headers = await admin(service)
  const made = await Promise.all(
    Array.from({ length: 110 }, (_, n) => service.createAgent({ name: `one of many ${n}` })),
  )
  for (const one of made) await issue(service, one)
  const names = new Map((await dataOf('/tokens?limit=200', headers)).map(one => [one['agent_id'], one['agent_name']]))
  assert.deepEqual(
    made.map(({ agentId }) => names.get(agentId)),
    made.map((_, n) => `one of many ${n}`),
  )
})

test('what names no client has no name, also where a client is called null', async () => {
  const headers = await admin(service)
  const called = { client_id: 'null', name: 'called null', owner: 'Nobody', scope: 'db:read' }
  const made = await call(service, { method: 'POST', path: '/api/v1/imports', body: { agents: [called] } }, headers)
  assert.equal(made.status, 200, made.text)
  await askToken(service, { agentId: 'null', clientId: 'null', clientSecret: 'wrong' })
  await introspect(service, 'mma_wrong', 'x')
  await service.settle()
  const named = new Map((await dataOf('/audit/refusals', headers)).map(one => [one['client_id'], one['agent_name']]))
  assert.deepEqual([named.get('null'), named.get(null)], ['called null', null])
})
