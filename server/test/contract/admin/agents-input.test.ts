// /api/v1/agents over HTTP: what is refused, and that it changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENTS, type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { HOSTLESS } from '../../../../testkit/callers/hostless-addresses.ts'
import { assertProblem, get, send } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const NOBODY = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const LABELS = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, 'v']))
const URIS = Array.from({ length: 65 }, (_, n) => `https://r${n}.example`)

/** What may be wrong with a member, at its creation and in a change. */
const WRONG: readonly (readonly [Body, string, string])[] = [
  [{ name: '' }, 'invalid_request', 'name is not 1 to 100 printable characters without spaces around them.'],
  [
    { name: 'x'.repeat(101) },
    'invalid_request',
    'name is not 1 to 100 printable characters without spaces around them.',
  ],
  [
    { name: '👩\u{200D}💻' },
    'invalid_request',
    'name is not 1 to 100 printable characters without spaces around them: character 2 is U+200D, which cannot be seen.',
  ],
  [{ name: 7 }, 'invalid_request', 'name is missing, or is not of the type string.'],
  [{ name: null }, 'invalid_request', 'name is missing, or is not of the type string.'],
  [
    { description: 'a\nb' },
    'invalid_request',
    'description is not 1 to 1000 printable characters without spaces around them: character 2 is U+000A, which cannot be seen.',
  ],
  [{ owner: ' x' }, 'invalid_request', 'owner is not 1 to 100 printable characters without spaces around them.'],
  [{ labels: LABELS }, 'invalid_request', 'An agent may have at most 32 labels.'],
  [
    { labels: { a: 'x'.repeat(101) } },
    'invalid_request',
    'labels.a is not 1 to 100 printable characters without spaces around them.',
  ],
  [{ labels: { a: 1 } }, 'invalid_request', 'labels.a is missing, or is not of the type string.'],
  [{ labels: ['a'] }, 'invalid_request', 'labels is missing, or is not of the type object.'],
  [
    { scope: 'db' },
    'invalid_scope',
    'scope is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.',
  ],
  [
    { default_scope: 'db:*' },
    'invalid_scope',
    'default_scope is not 1 to 16 items of the form resource:action, separated by single spaces.',
  ],
  [{ default_scope: 'log:read' }, 'invalid_scope', 'The default scope holds log:read, which the scope does not allow.'],
  [
    { resources: ['api'] },
    'invalid_target',
    'resources has one that is neither an absolute URI without a fragment nor *.',
  ],
  ...HOSTLESS.map(uri => {
    const description = 'resources has one that is neither an absolute URI without a fragment nor *.'
    return [{ resources: ['https://a.example', uri] }, 'invalid_target', description] as const
  }),
  ...HOSTLESS.map(uri => {
    const description = 'default_audience is not an absolute URI without a fragment.'
    return [{ default_audience: uri }, 'invalid_target', description] as const
  }),
  [{ resources: URIS }, 'invalid_target', 'resources has more than 64 resources; allow any with *.'],
  [
    { default_audience: 'https://a#b' },
    'invalid_target',
    'default_audience is not an absolute URI without a fragment.',
  ],
  [{ lifetime_seconds: 0 }, 'invalid_request', 'lifetime_seconds is not a whole number of seconds from 1 to 86400.'],
  [
    { lifetime_seconds: 86_401 },
    'invalid_request',
    'lifetime_seconds is not a whole number of seconds from 1 to 86400.',
  ],
  [
    { dpop_bound_access_tokens: null },
    'invalid_request',
    'dpop_bound_access_tokens is missing, or is not of the type boolean.',
  ],
  [{ lifetime_seconds: 1.5 }, 'invalid_request', 'lifetime_seconds is not a whole number of seconds from 1 to 86400.'],
  [
    { tokens_per_hour: 5 },
    'invalid_request',
    'The body has a member that this operation does not know: tokens_per_hour.',
  ],
  ...[0, 1_000_001, 1.5].map(wrong => {
    const description = 'tokens_per_minute is not a whole number from 1 to 1000000.'
    return [{ tokens_per_minute: wrong }, 'invalid_request', description] as const
  }),
  ...[0, 100_000_001].map(wrong => {
    const description = 'tokens_per_day is not a whole number from 1 to 100000000.'
    return [{ tokens_per_day: wrong }, 'invalid_request', description] as const
  }),
  ...[0, 10_001].map(wrong => {
    const description = 'live_tokens_max is not a whole number from 1 to 10000.'
    return [{ live_tokens_max: wrong }, 'invalid_request', description] as const
  }),
]

test('what an agent cannot be is refused, at its creation and in a change, and changes nothing', async () => {
  const { agentId, record } = await api.create()
  for (const [wrong, error, description] of WRONG) {
    const body = { name: api.newName(), scope: 'db:*', ...wrong }
    assertProblem(await api.act('POST', '', body), 400, error, description)
    assertProblem(await api.act('PATCH', `/${agentId}`, wrong), 400, error, description)
  }
  assert.deepEqual(await api.show(agentId), record)
})

test('the longest of each is taken', async () => {
  const key = `k${'.'.repeat(62)}`
  const agent = await api.create({
    name: '🙂'.repeat(100),
    description: 'x'.repeat(1000),
    owner: 'x'.repeat(100),
    labels: { ...Object.fromEntries(Object.entries(LABELS).slice(0, 31)), [key]: 'x'.repeat(100) },
    resources: URIS.slice(0, 64),
    lifetime_seconds: 86_400,
    tokens_per_minute: 1_000_000,
    tokens_per_day: 100_000_000,
    live_tokens_max: 10_000,
  })
  assert.equal(Object.keys(agent.record['labels'] as object).length, 32)
  assertProblem(
    await api.act('PATCH', `/${agent.agentId}`, { labels: { [`${key}.`]: 'x' } }),
    400,
    'invalid_request',
    'labels has a key that is not 1 to 63 letters, digits, dots, slashes, dashes and underscores that open with a letter or digit.',
  )
})

test('a narrowing that its defaults do not survive is refused, and changes nothing', async () => {
  const { agentId, record } = await api.create({ default_scope: 'db:read', default_audience: AUDIENCE })
  assertProblem(
    await api.act('PATCH', `/${agentId}`, { scope: 'db:write' }),
    400,
    'invalid_scope',
    'The default scope holds db:read, which the scope does not allow.',
  )
  assertProblem(
    await api.act('PATCH', `/${agentId}`, { resources: [] }),
    400,
    'invalid_target',
    `The default audience is ${AUDIENCE}, which the resources would no longer allow: name the default audience too.`,
  )
  assert.deepEqual(await api.show(agentId), record)
})

test('a body that is no JSON object, or no JSON at all, is refused', async () => {
  const { agentId } = await api.create()
  const json = { ...api.writer, 'content-type': 'application/json' }
  const bodies = [
    ['', 'The body is not JSON.'],
    ['{', 'The body is not JSON.'],
    ['[]', 'The body is missing, or is not of the type object.'],
    ['null', 'The body is missing, or is not of the type object.'],
    ['{"labels":{"__proto__":"x"}}', 'The body has a member that this operation does not know.'],
    ['{"name":"reports","owner":"a","name":"figures"}', 'name is given twice: give each member once.'],
    ['{"n\\u0061me":"reports","name":"reports"}', 'name is given twice: give each member once.'],
    ['{"labels":{"team":"a","team":"b"}}', 'labels.team is given twice: give each member once.'],
    ['{"labels":{"team":"a","env":"a"},"labels":{"team":null}}', 'labels is given twice: give each member once.'],
    ['{"secret":1,"secret":1}', 'The body has a member that this operation does not know: secret.'],
  ] as const
  for (const [body, description] of bodies) {
    const answer = await send(service, { method: 'PATCH', path: `${AGENTS}/${agentId}`, headers: json, body })
    assertProblem(answer, 400, 'invalid_request', description)
  }
  const form = { ...api.writer, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await send(service, { method: 'POST', path: AGENTS, headers: form, body: 'name=x&scope=db:read' })
  assert.equal(answer.status, 400)
})

test('a body holds 2000 values at most, whatever they are; who is not known hears 401 of any', async () => {
  const body = (count: number) => `{"name":"x","scope":"db:read","resources":[${'0,'.repeat(count - 5)}0]}`
  const json = { ...api.writer, 'content-type': 'application/json' }
  const post = (count: number, headers: Readonly<Record<string, string>>) =>
    send(service, { method: 'POST', path: AGENTS, headers, body: body(count) })
  const wrong = 'resources.0 is missing, or is not of the type string.'
  assertProblem(await post(2000, json), 400, 'invalid_request', wrong)
  const many = 'The body holds more than 2000 values: send less.'
  assertProblem(await post(2001, json), 413, 'request_too_large', many)
  assert.equal((await post(5000, { 'content-type': 'application/json' })).status, 401)
})

test('an id that no agent has, or that is none, is 404; what is no id is not repeated', async () => {
  const absent = (id: string) => get(service, `${AGENTS}/${id}`, api.reader)
  assertProblem(await absent(NOBODY), 404, 'not_found', `No agent has the id ${NOBODY}.`)
  for (const id of ['mmc_secret', NOBODY.toUpperCase(), '%20', '..%2f']) {
    assertProblem(await absent(id), 404, 'not_found', 'No agent has this id: it is no UUID.')
  }
  assertProblem(await absent('x'.repeat(1000)), 404, 'not_found', 'There is nothing at this path.')
})

test('another method: 405 with those that are', async () => {
  const allowed = { '': 'GET, HEAD, POST', [`/${NOBODY}`]: 'DELETE, GET, HEAD, PATCH', [`/${NOBODY}/disable`]: 'POST' }
  for (const [path, allow] of Object.entries(allowed)) {
    const answer = await api.act('PUT', path, {})
    assertProblem(answer, 405, 'method_not_allowed', `This path takes ${allow}.`)
    assert.equal(answer.headers['allow'], allow)
  }
})
