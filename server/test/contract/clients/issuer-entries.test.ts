// What of an agent names trusted issuers (issuer:ALIAS in acts_for, issuer_clients) over HTTP: set and shown, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { type Imports, importsInto } from '../../../../testkit/callers/imports.ts'
import { type Answer, assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
let api: AgentsApi
let imports: Imports
let headers: Headers
let names = 0

service.before(async () => {
  api = await makeAgentsApi(service)
  imports = importsInto(service)
  headers = await admin(service)
})

/** Trusts a new issuer. */
const trust = async (): Promise<string> => {
  names += 1
  const alias = `issuer-${names}`
  const issuer = `https://${alias}.example`
  const body = { alias, issuer, jwks_uri: `${issuer}/jwks`, token_types: ['id_token'], scope: 'db:read' }
  const answer = await call(service, { method: 'POST', path: '/api/v1/issuers', body }, headers)
  assert.equal(answer.status, 201, answer.text)
  return alias
}

const distrust = async (alias: string): Promise<void> => {
  const { status } = await call(service, { method: 'DELETE', path: `/api/v1/issuers/${alias}` }, headers)
  assert.equal(status, 204)
}

const namedIn = ({ acts_for, issuer_clients }: Body): Body => ({ acts_for, issuer_clients })

/** As a change, as its dry run, and as a creation. */
const tryEach = async (agentId: string, body: Body): Promise<readonly Answer[]> => [
  await api.act('PATCH', `/${agentId}`, body),
  await api.act('PATCH', `/${agentId}`, { ...body, dry_run: true }),
  await api.act('POST', '', { name: api.newName(), scope: 'db:read', ...body }),
]

const assertRefused = async (agentId: string, body: Body, problem: readonly [number, string, string]) => {
  const before = await api.show(agentId)
  for (const answer of await tryEach(agentId, body)) assertProblem(answer, ...problem)
  assert.deepEqual(await api.show(agentId), before)
}

test('they are set at creation and by a change, shown, listed, recorded, and taken away again', async () => {
  const [a, b] = [await trust(), await trust()]
  const none = { acts_for: [], issuer_clients: {} }
  const all = {
    acts_for: [`issuer:${a}`, `issuer:${b}:repo:org/app:ref`, `issuer:${a}:~`],
    issuer_clients: { [b]: `!${'~'.repeat(254)}`, [a]: 'relay' },
  }
  const plain = await api.create()
  assert.deepEqual(namedIn(plain.record), none)
  const { agentId, record } = await api.create(all)
  assert.deepEqual(namedIn(record), all)
  assert.deepEqual(Object.keys(record['issuer_clients'] as object), [a, b])
  assert.deepEqual(await api.show(agentId), record)
  const shown = async (path: string): Promise<Body> => (await get(service, path, api.reader)).json as Body
  const { data } = (await shown(`/api/v1/agents?q=${agentId}`)) as { readonly data?: readonly Body[] }
  assert.deepEqual(data, [record])
  assert.deepEqual(namedIn(await shown(`/api/v1/agents/${agentId}/delegation`)), all)

  assert.deepEqual(await api.patch(agentId, none), { ...record, ...none })
  assert.deepEqual(await api.patch(agentId, all), record)
  const reader = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const audit = await get(service, `/api/v1/audit?subject=${agentId}&limit=1`, reader)
  const [entry] = (audit.json as { data: readonly { detail: Body }[] }).data
  assert.deepEqual({ ...entry?.detail, seq: 0 }, { before: none, after: all, seq: 0 })
})

test('issuer_clients is replaced whole, and in another order it is the same', async () => {
  const [a, b] = [await trust(), await trust()]
  const { agentId } = await api.create({ issuer_clients: { [a]: 'whole', [b]: 'whole' } })
  const reader = { 'x-api-key': (await service.createApiKey('audit:read')).key }
  const acts = async () => ((await get(service, `/api/v1/audit?subject=${agentId}`, reader)).json as { data: [] }).data
  await api.patch(agentId, { issuer_clients: { [b]: 'whole', [a]: 'whole' } })
  assert.equal((await acts()).length, 1)
  assert.deepEqual((await api.patch(agentId, { issuer_clients: { [b]: 'other' } }))['issuer_clients'], { [b]: 'other' })
  // What it gave up is free.
  await api.create({ issuer_clients: { [a]: 'whole', [b]: 'whole' } })
})

const FORM = 'issuer_clients.acme is not 1 to 255 printable ASCII characters without spaces.'
const NAME = 'issuer_clients has a name that is not 1 to 32 of a-z, 0-9 and hyphen.'
const ENTRY = 'acts_for has one that is not the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *.'

const MISTAKES: readonly (readonly [Body, string])[] = [
  ...['', ' a', 'a b', 'é', 'x'.repeat(256)].map(client => [{ issuer_clients: { acme: client } }, FORM] as const),
  ...['', 'ACME', 'a_b', 'a:b', 'a'.repeat(33)].map(alias => [{ issuer_clients: { [alias]: 'x' } }, NAME] as const),
  [
    { issuer_clients: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`a${n}`, 'x'])) },
    'issuer_clients has more than 64 members.',
  ],
  ...['issuer:', 'issuer:acme:', 'issuer:ACME', 'issuer::a', 'issuer:acme:a b', `issuer:acme:${'x'.repeat(256)}`].map(
    entry => [{ acts_for: [entry] }, ENTRY] as const,
  ),
]

test('what is no alias, client id or entry is refused, and so are more than 64', async () => {
  const { agentId } = await api.create()
  for (const [body, text] of MISTAKES) await assertRefused(agentId, body, [400, 'invalid_request', text])
  for (const issuer_clients of [null, [], 'acme=x', { acme: null }, { acme: ['x'] }]) {
    assert.equal((await api.act('PATCH', `/${agentId}`, { issuer_clients })).status, 400)
  }
})

const unknown = (alias: string) =>
  [
    400,
    'invalid_request',
    `acts_for or issuer_clients names ${alias}, but no trusted issuer has this alias; GET /api/v1/issuers lists them.`,
  ] as const

test('an alias of no trusted issuer is refused, that of a disabled one is not', async () => {
  const [alias, gone] = [await trust(), await trust()]
  await distrust(gone)
  const { agentId } = await api.create()
  for (const other of ['nobody', gone, 'constructor']) {
    for (const entry of [`issuer:${other}`, `issuer:${other}:alice`]) {
      await assertRefused(agentId, { acts_for: [`issuer:${alias}`, entry] }, unknown(other))
    }
    await assertRefused(agentId, { issuer_clients: { [other]: 'relay' } }, unknown(other))
  }
  await call(service, { method: 'POST', path: `/api/v1/issuers/${alias}/disable`, body: {} }, headers)
  await api.patch(agentId, { acts_for: [`issuer:${alias}`], issuer_clients: { [alias]: 'disabled' } })
})

test('an issuer that is deleted stands in the way of no other change, and what names it can stay or go', async () => {
  const [gone, alias] = [await trust(), await trust()]
  const before = { acts_for: [`issuer:${gone}:alice`, `issuer:${gone}`], issuer_clients: { [gone]: 'left' } }
  const { agentId } = await api.create(before)
  await distrust(gone)
  await api.patch(agentId, { owner: 'Ada' })
  const after = {
    acts_for: [...before.acts_for, `issuer:${alias}`],
    issuer_clients: { [gone]: 'left', [alias]: 'right' },
  }
  assert.deepEqual(namedIn(await api.patch(agentId, after)), after)
  for (const change of [
    { acts_for: [...after.acts_for, `issuer:${gone}:bob`] },
    { issuer_clients: { ...after.issuer_clients, [gone]: 'changed' } },
  ]) {
    assertProblem(await api.act('PATCH', `/${agentId}`, change), ...unknown(gone))
  }
  await api.patch(agentId, { acts_for: [], issuer_clients: {} })
  assertProblem(await api.act('PATCH', `/${agentId}`, { issuer_clients: { [gone]: 'left' } }), ...unknown(gone))
})

test('a client of an issuer is one agent: 409 for another until that one is deleted or gives it up', async () => {
  const [a, b] = [await trust(), await trust()]
  const [first, second] = [await api.create({ issuer_clients: { [a]: 'app' } }), await api.create()]
  const taken = `issuer_clients.${a} is that of the agent ${first.agentId}; give this agent a client of its own there.`
  await assertRefused(second.agentId, { issuer_clients: { [a]: 'app' } }, [409, 'already_exists', taken])
  // Another client there, and the same text elsewhere, are others.
  await api.patch(second.agentId, { issuer_clients: { [a]: 'App', [b]: 'app' } })
  assert.equal((await api.act('DELETE', `/${first.agentId}`)).status, 204)
  await api.patch(second.agentId, { issuer_clients: { [a]: 'app' } })
})

test('a client id that is the id of another agent is refused, also of a deleted one; its own is not', async () => {
  const alias = await trust()
  const [{ agentId }, other, gone] = [await api.create(), await api.create(), await api.create()]
  assert.equal((await api.act('DELETE', `/${gone.agentId}`)).status, 204)
  const agents = [{ client_id: 'theirs', name: api.newName(), scope: 'db:read' }]
  const { json } = await imports.post({ agents })
  const [imported] = (json as { data: readonly { agent_id: string }[] }).data
  for (const [client, id] of [
    [other.agentId, other.agentId],
    [gone.agentId, gone.agentId],
    ['theirs', imported?.agent_id],
  ] as const) {
    const text = `issuer_clients.${alias} is the agent_id or client_id of the agent ${id}, which may be deleted; give this agent a client of its own there.`
    await assertRefused(agentId, { issuer_clients: { [alias]: client } }, [400, 'invalid_request', text])
  }
  await api.patch(agentId, { issuer_clients: { [alias]: agentId } })
  await api.patch(String(imported?.agent_id), { issuer_clients: { [alias]: 'theirs' } })
})

const AUDIENCE_TEXT =
  "is the audience of the operators' JWTs, MINTMARK_IDP_AUDIENCE: no agent may exchange these; name another one."

test('the audience of the operators is no recipient: of receives in any spelling, of issuer_clients as it is', async () => {
  const alias = await trust()
  const { audience } = service.provider
  const { agentId } = await api.create()
  const ofReceives = [400, 'invalid_target', `An entry of receives ${AUDIENCE_TEXT}`] as const
  for (const one of [audience, `${audience}/`, audience.toUpperCase().replace('HTTPS', 'https')]) {
    await assertRefused(agentId, { receives: ['https://a.example', one] }, ofReceives)
  }
  const ofClients = [400, 'invalid_request', `issuer_clients.${alias} ${AUDIENCE_TEXT}`] as const
  await assertRefused(agentId, { issuer_clients: { [alias]: audience } }, ofClients)
  await api.patch(agentId, { receives: [`${audience}/other`], issuer_clients: { [alias]: `${audience}/` } })
  const agents = [{ client_id: 'operators', name: api.newName(), scope: 'db:read', receives: [audience] }]
  assertProblem(await imports.post({ agents }), 400, 'invalid_target', `agents.0: ${ofReceives[2]}`)
})

test('an import refuses what is in the way of one agent, also within one request, and says why', async () => {
  const alias = await trust()
  const other = await api.create({ issuer_clients: { [alias]: 'held' } })
  const agent = (client_id: string, settings: Body = {}) => ({
    client_id,
    name: api.newName(),
    scope: 'db:read',
    ...settings,
  })
  const agents = [
    agent('held'),
    agent('i-1', { acts_for: ['issuer:nobody'] }),
    agent('i-2', { issuer_clients: { [alias]: 'held' } }),
    agent('i-3', { issuer_clients: { [alias]: other.agentId } }),
    agent('i-4', { issuer_clients: { [alias]: 'i-5' } }),
    agent('i-5'),
    agent('i-6', { acts_for: [`issuer:${alias}`], issuer_clients: { [alias]: 'i-6' } }),
  ]
  for (const dry_run of [true, false]) {
    const { json } = await imports.post({ agents, dry_run })
    const outcomes = (json as { data: readonly Body[] }).data.map(({ reason, outcome }) => reason ?? outcome)
    assert.deepEqual(outcomes, [
      'client_id_at_issuer',
      'issuer_unknown',
      'issuer_client_taken',
      'issuer_client_of_agent',
      'imported',
      'client_id_at_issuer',
      'imported',
    ])
  }
  await distrust(alias)
  const { json } = await imports.post({ agents: [agent('held')] })
  assert.equal((json as { data: readonly Body[] }).data[0]?.['outcome'], 'imported')
})

test('a creation that is refused leaves its Idempotency-Key free', async () => {
  const body = { name: api.newName(), scope: 'db:read', acts_for: [`issuer:later-${names + 1}`] }
  const post = () =>
    call(service, { method: 'POST', path: '/api/v1/agents', body }, { ...headers, 'idempotency-key': 'k1' })
  assert.equal((await post()).status, 400)
  const alias = await trust()
  body.acts_for = [`issuer:${alias}`]
  assert.equal((await post()).status, 201)
})
