// GET /api/v1/agents: filters, the search and paging over HTTP. What each finds at depth is the store's own test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENTS, type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { type Answer, assertPlainHeaders, assertProblem, get } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Page = { readonly data: readonly Body[]; readonly next_cursor: string | null }

const service = useService()
let api: AgentsApi
let zebra: AgentOfTest & { readonly record: Body }

service.before(async () => {
  api = await makeAgentsApi(service)
  await api.create({ name: 'api 1', owner: 'data', labels: { team: 'a=b', env: 'prod' } })
  await api.create({ name: 'api 2', owner: 'web', labels: { team: 'a=b' } })
  const off = await api.create({ name: 'é.🙂' })
  await api.act('POST', `/${off.agentId}/disable`)
  zebra = await api.create({ name: 'zebra' })
})

const list = (query = ''): Promise<Answer> => get(service, AGENTS + query, api.reader)

const pageOf = async (query: string): Promise<Page> => {
  const answer = await list(query)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Page
}

const namesIn = async (query: string) => (await pageOf(query)).data.map(({ name }) => name)

const EVERY = ['api 1', 'api 2', 'zebra', 'é.🙂']

test('all agents by name, each as it is shown', async () => {
  const answer = await list()
  assertPlainHeaders(answer)
  const { data, next_cursor } = answer.json as Page
  assert.deepEqual(
    data.map(({ name }) => name),
    EVERY,
  )
  assert.equal(next_cursor, null)
  assert.equal(answer.headers['link'], undefined)
  assert.deepEqual(data[2], zebra.record)
})

test('filters, alone and together', async () => {
  assert.deepEqual(await namesIn('?disabled=true'), ['é.🙂'])
  assert.deepEqual(await namesIn('?disabled=false'), ['api 1', 'api 2', 'zebra'])
  assert.deepEqual(await namesIn('?owner=web'), ['api 2'])
  assert.deepEqual(await namesIn('?label=team%3Da%3Db'), ['api 1', 'api 2'])
  assert.deepEqual(await namesIn('?label=team=a=b&label=env=prod'), ['api 1'])
  assert.deepEqual(await namesIn('?label=env=other'), [])
  assert.deepEqual(await namesIn('?name_prefix=api+'), ['api 1', 'api 2'])
  assert.deepEqual(await namesIn('?name=api+1'), ['api 1'])
  assert.deepEqual(await namesIn('?name=api'), [])
  assert.deepEqual(await namesIn(`?agent_id=${zebra.agentId}&agent_id=${zebra.agentId.toUpperCase()}`), ['zebra'])
  assert.deepEqual(await namesIn(`?client_id=${zebra.clientId}&client_id=nobody`), ['zebra'])
  assert.deepEqual(await namesIn('?name_prefix=api&owner=data&disabled=false'), ['api 1'])
})

test('the search finds an id first, and else any part of a name, an owner or a label', async () => {
  await api.create({ name: `${zebra.agentId} too`, labels: { made: 'here' } })
  assert.deepEqual(await namesIn(`?q=${zebra.agentId}`), ['zebra', `${zebra.agentId} too`])
  assert.deepEqual(await namesIn('?q=api%202'), ['api 2'])
  assert.deepEqual(await namesIn('?q=i%20'), ['api 1', 'api 2'])
  assert.deepEqual(await namesIn('?q=%202'), ['api 2'])
  assert.deepEqual(await namesIn('?q=%202%20'), [])
  assert.deepEqual(await namesIn('?name_prefix=%20api'), [])
  assert.deepEqual(await namesIn('?q=PI'), ['api 1', 'api 2'])
  assert.deepEqual(await namesIn('?q=dat'), ['api 1'])
  assert.deepEqual(await namesIn('?q=a%3Db'), ['api 1', 'api 2'])
  assert.deepEqual(await namesIn('?q=%22%3A%22'), [])
  assert.deepEqual(await namesIn('?q=a%25'), [])
  assert.deepEqual(await namesIn(`?q=${zebra.agentId}&label=made=here`), [`${zebra.agentId} too`])
  const [made] = (await pageOf('?label=made=here')).data
  await api.act('DELETE', `/${String(made?.['agent_id'])}`)
})

test('the beginning of an id of an agent or of a credential leads to the agent', async () => {
  const credentials = await get(service, `${AGENTS}/${zebra.agentId}/credentials`, api.reader)
  const credentialId = String((credentials.json as Page).data[0]?.['credential_id'])
  for (const id of [zebra.agentId, credentialId]) {
    assert.deepEqual(await namesIn(`?id_prefix=${id}`), ['zebra'])
    assert.deepEqual(await namesIn(`?id_prefix=${id.slice(0, -1)}&disabled=false`), ['zebra'])
    assert.deepEqual(await namesIn(`?id_prefix=${id}&disabled=true`), [])
  }
  assert.deepEqual(await namesIn('?id_prefix=zebra'), [])
})

test('pages joined by next_cursor and by Link hold every agent once, whatever its name', async () => {
  const names: unknown[] = []
  let path: string | undefined = `${AGENTS}?limit=1`
  while (path !== undefined) {
    const answer: Answer = await get(service, path, api.reader)
    const { data, next_cursor } = answer.json as Page
    names.push(...data.map(({ name }) => name))
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1]
    assert.equal(next === undefined ? null : new URL(next).searchParams.get('cursor'), next_cursor)
    path = next?.slice(service.baseUrl.length)
  }
  assert.deepEqual(names, EVERY)
})

test('a cursor goes on after a name of the greatest length', async () => {
  const longest = '🙂'.repeat(100)
  const { agentId } = await api.create({ name: longest, owner: 'long' })
  const { agentId: last } = await api.create({ name: '🙃', owner: 'long' })
  const { next_cursor } = await pageOf('?owner=long&limit=1')
  assert.deepEqual(await namesIn(`?owner=long&limit=1&cursor=${encodeURIComponent(next_cursor ?? '')}`), ['🙃'])
  for (const id of [agentId, last]) await api.act('DELETE', `/${id}`)
})

test('a cursor is bound to its list and its filters; limit may change', async () => {
  const { next_cursor: cursor } = await pageOf('?limit=1&name_prefix=api')
  assert.ok(cursor !== null)
  const encoded = encodeURIComponent(cursor)
  assert.deepEqual(await namesIn(`?limit=2&name_prefix=api&cursor=${encoded}`), ['api 2'])
  const refused = 'cursor: not one of this list with these filters. Start again without it.'
  for (const query of [
    `?cursor=${encoded}`,
    `?name=api&cursor=${encoded}`,
    `?owner=web&cursor=${encoded}`,
    '?cursor=1.agents.x.a',
  ]) {
    assertProblem(await list(query), 400, 'invalid_request', refused)
  }
  const broken = `${cursor.slice(0, cursor.lastIndexOf('.') + 1)}%ff`
  const answer = await list(`?name_prefix=api&cursor=${encodeURIComponent(broken)}`)
  assertProblem(answer, 400, 'invalid_request', refused)
})

const PART = '1 to 100 printable characters, not spaces alone'

test('a malformed, empty, repeated or unknown parameter is 400 and is named', async () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['disabled=yes', 'disabled is not true or false.'],
    ['owner=%20x', 'owner is not 1 to 100 printable characters without spaces around them.'],
    ['label=team', 'label.0 is not of the form key=value, as labels are.'],
    ['label==x', 'label.0 is not of the form key=value, as labels are.'],
    [Array.from({ length: 9 }, (_, n) => `label=k${n}=v`).join('&'), 'label is given more than 8 times.'],
    [`name_prefix=${'x'.repeat(101)}`, `name_prefix is not the beginning of a name: ${PART}.`],
    [`q=%20${'x'.repeat(100)}`, `q is not an id, the beginning of one, or part of a name: ${PART}.`],
    ['q=%20', `q is not an id, the beginning of one, or part of a name: ${PART}.`],
    ['id_prefix=%20', `id_prefix is not the beginning of an id: ${PART}.`],
    ['name=x&name_prefix=x', 'name goes without name_prefix: it is a whole name.'],
    ['name=x&q=x', 'name goes without q: it is a whole name.'],
    ['agent_id=x', 'agent_id.0 is not a UUID.'],
    [
      Array.from({ length: 101 }, () => `agent_id=${zebra.agentId}`).join('&'),
      'agent_id is given more than 100 times.',
    ],
    ['q=', 'q is empty: give it a value, or leave it out.'],
    ['owner=a&owner=b', 'owner is given more than once.'],
    ['limit=1001', 'limit is not a whole number from 1 to 1000.'],
    ['limit=0', 'limit is not a whole number from 1 to 1000.'],
    ['names=x', 'names is not a parameter of this operation.'],
  ]
  for (const [query, description] of refusals) {
    assertProblem(await list(`?${query}`), 400, 'invalid_request', description)
  }
})
