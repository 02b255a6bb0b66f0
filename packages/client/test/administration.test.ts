// The administration of a real service: answers, lists to their end, exports, creations that are repeated, refusals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issue } from '../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { ApiRefused } from '../src/administration/api-errors.ts'
import { createAdministration } from '../src/administration/create-administration.ts'
import type { Administration } from '../src/administration/generated/administration.ts'
import { OPERATIONS } from '../src/administration/generated/operations.ts'

let service: TestServer
let administration: Administration

before(async () => {
  service = await startServer()
  const operatorJwt = () => service.provider.operatorJwt({ role: 'mintmark-admin' })
  administration = createAdministration({ url: `${service.baseUrl}/`, operatorJwt })
})
after(() => service.close())

const refused =
  (error: string, status: number, check: (refusal: ApiRefused) => void = () => undefined) =>
  (fault: unknown) => {
    assert.ok(fault instanceof ApiRefused, String(fault))
    assert.deepEqual([fault.error, fault.status], [error, status])
    assert.match(fault.requestId ?? '', /^[\w.-]{1,64}$/)
    check(fault)
    return true
  }

const collect = async <T>(records: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for await (const record of records) all.push(record)
  return all
}

test('an agent is created, shown, changed, disabled and deleted', async () => {
  const { agent_id: id, client_secret } = await administration.createAgent({
    body: { name: 'orders', scope: 'db:read', labels: { team: 'data' } },
  })
  assert.match(client_secret, /^mmc_/)
  assert.equal((await administration.showAgent({ path: { id } })).name, 'orders')
  const { owner } = await administration.changeAgent({ path: { id }, body: { owner: 'Ada' } })
  assert.equal(owner, 'Ada')
  assert.notEqual((await administration.disableAgent({ path: { id } })).disabled_at, null)
  assert.equal((await administration.enableAgent({ path: { id }, body: { note: 'all clear' } })).disabled_at, null)
  assert.equal(await administration.deleteAgent({ path: { id }, query: { note: 'gone' } }), undefined)
  await assert.rejects(administration.showAgent({ path: { id } }), refused('not_found', 404))
})

test('a list is read to its end over its cursors, and as the pages that the service answers', async () => {
  const owner = 'of the list'
  for (let n = 0; n < 7; n += 1) {
    await administration.createAgent({
      body: { name: `listed ${n}`, scope: 'db:read', owner, labels: { n: `${n}`, team: 'a' } },
    })
  }
  const agents = administration.listAgents({ query: { owner, limit: 3 } })
  const names = (await collect(agents)).map(({ name }) => name)
  assert.deepEqual(new Set(names), new Set(Array.from({ length: 7 }, (_, n) => `listed ${n}`)))
  assert.equal((await collect(agents)).length, 7)
  const pages = await collect(agents.pages())
  assert.deepEqual(
    pages.slice(0, 2).map(({ data }) => data.length),
    [3, 3],
  )
  assert.equal(pages.at(-1)?.next_cursor, null)
  const [labelled] = await collect(administration.listAgents({ query: { label: ['n=3', 'team=a'] } }))
  assert.equal(labelled?.name, 'listed 3')
  assert.deepEqual(
    (await collect(administration.listHistory({ query: { termination_reason: 'nope' } }).pages()))[0]?.unknown,
    ['nope'],
  )
})

test('a list asks for a page only once the one before was read', async () => {
  let requests = 0
  const counted = createAdministration({
    url: service.baseUrl,
    operatorJwt: () => service.provider.operatorJwt({ role: 'mintmark-admin' }),
    fetch: (input, init) => {
      requests += 1
      return fetch(input, init)
    },
  })
  for await (const { name } of counted.listAgents({ query: { limit: 1, owner: 'of the list' } })) {
    assert.match(name, /^listed/)
    break
  }
  assert.equal(requests, 1)
})

test('tokens are listed, exported and revoked by conditions, after a trial that ends none', async () => {
  const agent = await service.createAgent()
  const ids = await Promise.all(Array.from({ length: 5 }, () => issue(service, agent)))
  assert.equal(ids.length, 5)
  const query = { agent_id: agent.agentId }
  const live = await collect(administration.listTokens({ query }))
  const exported = await collect(administration.exportTokens({ query }))
  assert.deepEqual(exported, live)
  const body = { agent_id: agent.agentId, note: 'a drill' }
  const trial = await administration.createRevocation({ body: { ...body, dry_run: true } })
  assert.ok('dry_run' in trial && trial.tokens === 5)
  const done = await administration.createRevocation({ body })
  assert.ok('id' in done)
  assert.deepEqual(await collect(administration.exportTokens({ query })), [])
  const ended = await collect(administration.exportHistory({ query }))
  assert.deepEqual(new Set(ended.map(({ revocation_id }) => revocation_id)), new Set([done.id]))
  const acts = await collect(administration.exportAudit({ query: { kind: 'revocation.create' } }))
  assert.equal(acts[0]?.note, 'a drill')
})

test('a creation that is repeated with its key creates nothing, and says what the first made', async () => {
  const request = { body: { name: 'once', scope: 'db:read' }, idempotencyKey: 'a "key" of \\ my own' }
  const { agent_id } = await administration.createAgent(request)
  const again = { ...request, body: { ...request.body, name: 'twice' } }
  await assert.rejects(
    administration.createAgent(again),
    refused('already_exists', 409, ({ id }) => assert.equal(id, agent_id)),
  )
  await administration.createAgent({ body: { name: 'twice', scope: 'db:read' } })
})

test('a refusal has its code, its status and what to do', async () => {
  const { key } = await service.createApiKey('tokens:read')
  const reader = createAdministration({ url: service.baseUrl, apiKey: key })
  assert.equal((await reader.showStatus()).version, '0.1.0')
  const body = { name: 'mine', scope: 'db:read' }
  await assert.rejects(reader.createAgent({ body }), refused('insufficient_scope', 403))
  const nobody = createAdministration({ url: service.baseUrl, apiKey: 'mma_of_nobody' })
  await assert.rejects(collect(nobody.listTokens()), refused('invalid_client', 401))
  await assert.rejects(collect(nobody.exportTokens()), refused('invalid_client', 401))
  const wrong = { query: { limit: 1001 } }
  await assert.rejects(collect(reader.listTokens(wrong)), refused('invalid_request', 400))
})

test('an id that would name another path is a mistake of the caller, and nothing is sent', async () => {
  for (const id of ['', '.', '..']) {
    await assert.rejects(administration.showAgent({ path: { id } }), {
      name: 'TypeError',
      message: `path.id is ${JSON.stringify(id)}; expected an id.`,
    })
  }
  await assert.rejects(administration.showAgent({ path: { id: '../keys?x=#y' } }), refused('not_found', 404))
})

test('each operation has a method, and what creates carries a key', async () => {
  const sent: { readonly method: string; readonly url: string; readonly key: string | null }[] = []
  const all = createAdministration({
    url: 'https://auth.example/tenant',
    apiKey: 'mma_key',
    fetch: (input, init) => {
      const headers = new Headers(init?.headers)
      sent.push({
        method: init?.method ?? '',
        url: input instanceof Request ? input.url : String(input),
        key: headers.get('idempotency-key'),
      })
      assert.equal(headers.get('x-api-key'), 'mma_key')
      assert.equal(init?.redirect, 'manual')
      return Promise.resolve(Response.json({ data: [], next_cursor: null }))
    },
  }) as unknown as Readonly<Record<string, (request: object) => unknown>>
  for (const [id, row] of Object.entries(OPERATIONS)) {
    const path = Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `of ${name}`]))
    const result = all[id]?.({ path, ...((row.method === 'POST' || row.method === 'PATCH') && { body: {} }) })
    await (row.kind === 'call' ? result : collect(result as AsyncIterable<unknown>).catch(() => undefined))
    const { method, url, key } = sent.at(-1) ?? assert.fail(id)
    const expected = row.path.replaceAll(/\{(\w+)\}/g, 'of%20$1')
    assert.deepEqual([method, url], [row.method, `https://auth.example/tenant${expected}`], id)
    assert.equal(/^"[\da-f-]{36}"$/.test(key ?? ''), row.creates, id)
  }
  assert.equal(sent.length, Object.keys(OPERATIONS).length)
})
