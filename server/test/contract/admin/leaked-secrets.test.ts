// POST /api/v1/leaked-secrets: what scanners find is revoked with everything that it got, and never repeated back.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { revokeLeakedSecrets } from '../../../../api/credentials.ts'
import { admin, call, type Headers, JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import {
  type Answer,
  assertProblem,
  askToken,
  claimsOf,
  get,
  introspect,
  issue,
  send,
  statusBeforeBody,
} from '../../../../testkit/callers/requests.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/leaked-secrets'
const NOBODY = { agent_id: null, credential_id: null, api_key_id: null, token_id: null }
const NAMELESS = { name: null, agent: null, owner: null, last_credential: null }
const UNKNOWN = { result: 'unknown', kind: null, ...NOBODY, ...NAMELESS }

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let headers: Headers
let agent: AgentOfTest

beforeEach(async () => {
  headers = await admin(service)
  agent = await service.createAgent()
})

const report = (body: unknown): Promise<Answer> => call(service, { method: 'POST', path: PATH, body }, headers)

const results = (answer: Answer): unknown => (answer.json as { data: { result: string }[] }).data.map(x => x.result)

const credentialIdOf = ({ agentId }: AgentOfTest): unknown =>
  readRows(
    service.storeFile,
    'select c.id from credential c join agent a on a.n = c.agent where a.id = ?',
    agentId,
  )[0]?.['id']

test("a report in the form of GitHub's scanner: each secret of ours is revoked, answered in order, not repeated back", async () => {
  const token = await issue(service, agent)
  const { id, key } = await service.createApiKey('tokens:read')
  const url = 'https://github.com/octocat/Hello-World/blob/12345600b9cbe38a219f39a9941c9319b600c002/foo/bar.txt'
  const item = (found: string) => ({ token: found, type: 'mintmark_secret', url, source: 'content' })
  const shown = (await get(service, `/api/v1/agents/${agent.agentId}`, headers)).json as Record<string, unknown>
  const answer = await report([item(key), item('ghp_not_ours'), item(agent.clientSecret)])
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, {
    data: [
      { ...UNKNOWN, result: 'revoked', kind: 'api_key', api_key_id: id, name: 'tokens:read' },
      UNKNOWN,
      {
        ...UNKNOWN,
        result: 'revoked',
        kind: 'credential',
        agent_id: agent.agentId,
        credential_id: credentialIdOf(agent),
        name: 'first',
        agent: shown['name'],
        last_credential: true,
      },
    ],
  })
  assert.deepEqual((await introspect(service, introspector.key, token)).json, { active: false })
  assert.equal((await askToken(service, agent)).status, 401)
  assert.equal((await get(service, '/api/v1/tokens', { 'x-api-key': key })).status, 401)
  const query = `agent_id=${agent.agentId}&termination_reason=secret_leaked`
  const history = await get(service, `/api/v1/tokens/history?${query}`, headers)
  assert.equal((history.json as { data: unknown[] }).data.length, 1)
  for (const secret of [key, agent.clientSecret]) assert.ok(!(answer.text + service.log()).includes(secret))
})

test('reporting one again, or twice at once, finds it revoked already', async () => {
  const item = { token: agent.clientSecret }
  assert.deepEqual(results(await report([item, item])), ['revoked', 'already_revoked'])
  assert.deepEqual(results(await report([item])), ['already_revoked'])
})

test('a secret of ours is found in quotes, in the variable and in the header that it was copied with', async () => {
  const { clientSecret } = agent
  const token = await issue(service, agent)
  const found = [`"${clientSecret}",`, `CLIENT_SECRET=${clientSecret}\r\n`, `Bearer ${token}`, `<${token}>.`]
  const answer = await report(found.map(one => ({ token: one })))
  assert.ok(!(results(answer) as string[]).includes('unknown'), answer.text)
})

test('what only looks like a secret of ours is unknown: another checksum, prefix, case or length', async () => {
  const { clientSecret } = agent
  const wrong = [
    clientSecret.slice(0, -1) + (clientSecret.endsWith('0') ? '1' : '0'),
    clientSecret.replace('mmc_', 'mma_'),
    clientSecret.replace('mmc_', 'MMC_'),
    `${clientSecret}0`,
    clientSecret.slice(1),
    '',
  ]
  const answer = await report(wrong.map(token => ({ token })))
  assert.deepEqual(
    results(answer),
    wrong.map(() => 'unknown'),
  )
  await issue(service, agent)
})

test('an address that carries the secret stands in the audit without it', async () => {
  const url = `https://paste.example/?q=${agent.clientSecret}&r=${'x'.repeat(2000)}`
  await report([{ token: agent.clientSecret, url, surprise: 'of a later version' }])
  const [row] = readRows(
    service.storeFile,
    `select kind, detail from audit where subject = ? and kind = 'credential.revoke'`,
    credentialIdOf(agent),
  )
  const { found_at } = JSON.parse(String(row?.['detail'])) as { found_at: string }
  assert.match(found_at, /^https:\/\/paste\.example\/\?q=\[secret\]&r=x+$/)
  assert.equal(found_at.length, 1000)
})

test('an address that carries an access token stands in the audit without it, and as it is where its parts are short', async () => {
  const token = await issue(service, agent)
  const short = 'https://a.paste.example/v1.2.3/file.with.many.dots.html'
  await report([{ token: agent.clientSecret, url: `${short}?t=${token}.${token}#${'x'.repeat(50_000)}` }])
  const select = `select detail from audit where subject = ? and kind = 'credential.revoke'`
  const [row] = readRows(service.storeFile, select, credentialIdOf(agent))
  const { found_at } = JSON.parse(String(row?.['detail'])) as { found_at: string }
  assert.equal(found_at.replace(/x+$/, ''), `${short}?t=[secret].[secret]#`)
})

test('half a character of an address, cut or sent, stands in the audit as U+FFFD, which every reader of JSON accepts', async () => {
  const url = `\uD800${'x'.repeat(998)}\u{1F600}`
  await report([{ token: agent.clientSecret, url }])
  const path = `/api/v1/audit?kind=credential.revoke&subject=${String(credentialIdOf(agent))}`
  const { data } = (await get(service, path, headers)).json as { data: { detail: { found_at: string } }[] }
  assert.equal(data[0]?.detail.found_at, `\uFFFD${'x'.repeat(998)}\uFFFD`)
})

test('a report holds 1 to 1000 secrets, and may be longer than other bodies', async () => {
  const url = `https://git.example/${'x'.repeat(400)}`
  const many = (count: number) => Array.from({ length: count }, () => ({ token: 'mmc_none', url }))
  assertProblem(await report([]), 400, 'invalid_request', 'The body holds no secret.')
  assertProblem(await report(many(1001)), 400, 'invalid_request', 'The body holds more than 1000 secrets.')
  const answer = await report([...many(999), { token: agent.clientSecret }])
  assert.equal((results(answer) as unknown[]).at(-1), 'revoked')
  const body = JSON.stringify([{ token: 'x'.repeat(1_048_576) }])
  const tooLong = await send(service, { method: 'POST', path: PATH, headers: { ...JSON_TYPE, ...headers }, body })
  assert.equal(tooLong.status, 413)
})

test('who may not report hears so before the body is read', async () => {
  assert.equal(await statusBeforeBody(service, PATH, revokeLeakedSecrets.bodyBytesMax), 401)
})

test('a report that is not in the form is 400 and revokes nothing', async () => {
  const item = { token: agent.clientSecret }
  for (const body of [item, [agent.clientSecret], [item, {}], [item, { token: 5 }], 'x', null]) {
    assert.equal((await report(body)).status, 400)
  }
  const form = await send(service, {
    method: 'POST',
    path: PATH,
    headers: { ...headers, 'content-type': 'text/plain' },
    body: JSON.stringify([item]),
  })
  assert.equal(form.status, 400)
  await issue(service, agent)
})

const trial = (body: unknown): Promise<Answer> =>
  call(service, { method: 'POST', path: `${PATH}?dry_run=true`, body }, headers)

const items = (answer: Answer) => (answer.json as { data: Readonly<Record<string, unknown>>[] }).data

test('a dry run says whose each secret is and what is left to the agent, and revokes nothing', async () => {
  const token = await issue(service, agent)
  const { key } = await service.createApiKey('tokens:read')
  const [ofAgent = {}, ofKey = {}, ofToken = {}, other] = items(
    await trial([agent.clientSecret, key, token, `${token}x`].map(found => ({ token: found }))),
  )
  const shown = (await get(service, `/api/v1/agents/${agent.agentId}`, headers)).json as Record<string, unknown>
  const whose = { agent_id: agent.agentId, agent: shown['name'], owner: shown['owner'] }
  assert.deepEqual({ ...ofAgent, ...whose }, ofAgent)
  assert.deepEqual([ofAgent['result'], ofAgent['last_credential']], ['would_revoke', true])
  assert.deepEqual([ofKey['result'], ofKey['kind'], ofKey['last_credential']], ['would_revoke', 'api_key', null])
  assert.deepEqual({ ...ofToken, ...whose }, ofToken)
  assert.deepEqual([ofToken['kind'], ofToken['token_id']], ['access_token', claimsOf(token)['jti']])
  assert.deepEqual(other, UNKNOWN)
  assert.equal(((await introspect(service, introspector.key, token)).json as { active: boolean }).active, true)
  assert.equal((await get(service, '/api/v1/tokens', { 'x-api-key': key })).status, 200)
  await issue(service, agent)
})

test('an agent with a second secret is left with one, unless both are reported together', async () => {
  const path = `/api/v1/agents/${agent.agentId}/credentials`
  const made = await call(service, { method: 'POST', path, body: { name: 'second' } }, headers)
  const second = String((made.json as Record<string, unknown>)['client_secret'])
  const left = async (...secrets: readonly string[]) =>
    items(await trial(secrets.map(token => ({ token })))).map(one => one['last_credential'])
  assert.deepEqual(await left(agent.clientSecret), [false])
  assert.deepEqual(await left(agent.clientSecret, second), [true, true])
  const both = items(await report([{ token: agent.clientSecret }, { token: second }]))
  assert.deepEqual(
    both.map(one => [one['result'], one['last_credential']]),
    [
      ['revoked', true],
      ['revoked', true],
    ],
  )
})

test('a leaked access token ends with secret_leaked; a text that only claims to be it ends nothing', async () => {
  const token = await issue(service, agent)
  const forged = token.replace(/[^.]+$/, signature => signature.replace(/^.{4}/, 'AAAA'))
  assert.deepEqual(results(await report([{ token: forged }])), ['unknown'])
  assert.equal(((await introspect(service, introspector.key, token)).json as { active: boolean }).active, true)
  const url = `https://paste.example/?q=${token}`
  assert.deepEqual(results(await report([{ token, url }])), ['revoked'])
  assert.deepEqual((await introspect(service, introspector.key, token)).json, { active: false })
  const shown = await get(service, `/api/v1/tokens/${String(claimsOf(token)['jti'])}`, headers)
  assert.equal((shown.json as Record<string, unknown>)['termination_reason'], 'secret_leaked')
  await issue(service, agent)
})

test('a token is reported before the secret that got it, and as revoked already once it has ended', async () => {
  const token = await issue(service, agent)
  const forged = token.replace(/[^.]+$/, signature => signature.replace(/^.{4}/, 'AAAA'))
  const [secret, leaked] = [{ token: agent.clientSecret }, { token }]
  assert.deepEqual(results(await report([secret, leaked])), ['revoked', 'revoked'])
  const again = await report([{ token: forged }, leaked, secret])
  assert.deepEqual(results(again), ['unknown', 'already_revoked', 'already_revoked'])
  assert.equal(items(again)[1]?.['token_id'], claimsOf(token)['jti'])
  const { key } = await service.createApiKey('tokens:revoke', ['https://elsewhere.example'])
  const limited = await call(service, { method: 'POST', path: PATH, body: [leaked] }, { 'x-api-key': key })
  assert.deepEqual(limited.json, { data: [UNKNOWN] })
})

test('a key that is limited to audiences ends no token for others', async () => {
  const token = await issue(service, agent)
  const { key } = await service.createApiKey('tokens:revoke', ['https://elsewhere.example'])
  const answer = await call(service, { method: 'POST', path: PATH, body: [{ token }] }, { 'x-api-key': key })
  assert.deepEqual(answer.json, { data: [UNKNOWN] })
  assert.equal(((await introspect(service, introspector.key, token)).json as { active: boolean }).active, true)
})

test('the audit log keeps where each secret was found, of whichever kind it is, without credentials and what cannot be printed', async () => {
  const { id, key } = await service.createApiKey('tokens:read')
  const delegated = await issue(service, agent)
  const token = await issue(service, agent)
  const jti = (text: string) => claimsOf(text)['jti']
  const url = `https://ada:hunter2@paste.example/${token}?access_token=ghp_1&n=7#\u001B[2J\u202E\0${'x'.repeat(2000)}`
  const kept = 'https://[secret]@paste.example/[secret]?access_token=[secret]&n=7#\uFFFD[2J\uFFFD\uFFFD'
  const found = [token, key, agent.clientSecret].map(secret => ({ token: secret, url }))
  assert.deepEqual(
    results(await report([...found, { token: delegated }])),
    Array.from({ length: 4 }, () => 'revoked'),
  )
  const entryOf = async (kind: string, subject: unknown) => {
    const list = await get(service, `/api/v1/audit?kind=${kind}&subject=${String(subject)}`, headers)
    return (list.json as { data: { detail: Readonly<Record<string, unknown>> }[] }).data.map(({ detail }) => detail)
  }
  for (const [kind, subject] of [
    ['token.revoke', jti(token)],
    ['api_key.revoke', id],
    ['credential.revoke', credentialIdOf(agent)],
  ] as const) {
    const [{ found_at } = {}, ...others] = await entryOf(kind, subject)
    assert.deepEqual([String(found_at).length, others], [1000, []])
    assert.equal(String(found_at).replace(/x+$/, ''), kept)
  }
  assert.deepEqual(await entryOf('token.revoke', jti(delegated)), [{ reason: 'secret_leaked', found_at: null }])
  const plain = await issue(service, await service.createAgent())
  const revoked = await call(service, { method: 'POST', path: `/api/v1/tokens/${String(jti(plain))}/revoke` }, headers)
  assert.equal(revoked.status, 200)
  assert.deepEqual(await entryOf('token.revoke', jti(plain)), [{ reason: 'manual_revocation' }])
})
