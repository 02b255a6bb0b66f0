// Parts of requests of the administration: what would not be sent as it was given is named, and nothing is sent.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AdministrationOptions, createAdministration } from '../src/administration/create-administration.ts'
import { json, type LyingServer, startLyingServer } from './lying-server.ts'

const KEY = 'mma_key'
let server: LyingServer

before(async () => {
  server = await startLyingServer(json(200, {}))
})
after(() => server.close())

const connect = (options: Partial<AdministrationOptions> = {}) =>
  createAdministration({ url: server.url, apiKey: KEY, ...options })

test('a part of a request that its operation does not have, or of another type, is named before anything is sent', async () => {
  const sent = server.received.length
  const administration = connect()
  for (const [act, message] of [
    [
      () => administration.showStatus({ sginal: 1 } as object),
      '"sginal" is not an option. Expected any of: path, query, signal.',
    ],
    [
      () => administration.showAgent({ agent_id: 'x' } as never),
      '"agent_id" is not an option. Expected any of: path, query, signal.',
    ],
    [() => administration.showAgent({ path: 'x' } as never), 'path is not an object.'],
    [
      () => administration.showStatus({ idempotencyKey: 'x' } as object),
      '"idempotencyKey" is not an option. Expected any of: path, query, signal.',
    ],
    [() => administration.listTokens({ query: 'agent_id=x' } as never), 'query is not an object.'],
    [() => administration.exportTokens({ signal: 7 } as never), 'signal is not an AbortSignal.'],
    [() => administration.createAgent(null as never), 'the options are not an object.'],
  ] as const) {
    await assert.rejects(async () => act(), {
      name: 'TypeError',
      message: new RegExp(`^\\w+: ${message.replaceAll('.', '\\.')}$`),
    })
  }
  assert.equal(server.received.length, sent)
})

test('what of a request would not be sent is an error: a dry run is never an act, and a filter never everything', async () => {
  const sent = server.received.length
  const administration = connect() as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  const path = { id: 'a1' }
  const hidden = Object.defineProperty({}, 'dry_run', { value: true })
  const dryRun = { dry_run: true }
  for (const query of [new URLSearchParams('dry_run=true'), new Map([['dry_run', true]]), hidden, { dry_run: [] }]) {
    await assert.rejects(async () => administration['deleteAgent']?.({ path, query }), TypeError)
  }
  for (const body of [new Map(), new URLSearchParams('dry_run=true'), hidden, () => dryRun, Object.create(dryRun)]) {
    await assert.rejects(async () => administration['disableAgent']?.({ path, body }), TypeError)
    await assert.rejects(async () => administration['disableAgent']?.({ path, body: { labels: body } }), TypeError)
  }
  for (const given of [
    [{ path }, { query: dryRun }],
    [{ path: { ...path, credential_id: 'c1' } }],
    [{ path, body: dryRun }],
    [{ path, query: { dry_run: undefined } }],
    [{ path, query: undefined }],
  ]) {
    await assert.rejects(async () => administration['deleteAgent']?.(...given), TypeError)
  }
  for (const body of [
    { agent_id: undefined, scope: 'db:read' },
    { agent_id: 'a1', dry_run: undefined },
    { labels: { team: undefined, env: 'prod' } },
  ]) {
    const message = /^body\.(agent_id|dry_run|labels\.team) is undefined, and would be left out/
    await assert.rejects(async () => administration['createRevocation']?.({ body }), { name: 'TypeError', message })
  }
  assert.equal(server.received.length, sent)
})

test('a body that cannot be sent is named, however deep it is, and so is an id or a filter that no URL carries', async () => {
  const sent = server.received.length
  const administration = connect() as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
  const path = { id: 'a1' }
  const within: Record<string, unknown> = {}
  within['labels'] = { within }
  let deep: unknown = 'leaf'
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  for (const [id, request, message] of [
    ['disableAgent', { path, body: within }, /^body has more than 64 levels, or contains itself/],
    ['disableAgent', { path, body: { labels: deep } }, /^body has more than 64 levels, or contains itself/],
    [
      'disableAgent',
      { path, body: { at: new Date() } },
      /^body\.at is not a plain object .*\. Give a date as a string/,
    ],
    ['showAgent', { path: { id: 'a\uD800' } }, /^path\.id is "a\\ud800"; expected an id/],
    ['listAgents', { query: { q: 'a\uD800' } }, /^query\.q is not a well-formed string/],
    ['listAgents', { query: { label: ['a', '\uDC00'] } }, /^query\.label is not a well-formed string/],
  ] as const) {
    await assert.rejects(async () => administration[id]?.(request), { name: 'TypeError', message })
  }
  assert.equal(server.received.length, sent)
})

test('a function that returns no text gives no credential, and a query as frameworks parse it is one', async () => {
  const sent = server.received.length
  for (const wrong of [undefined, null, 5, ['mma_key']]) {
    const administration = connect({ apiKey: () => wrong as unknown as string })
    await assert.rejects(administration.showStatus(), /The credential is not one line/)
  }
  assert.equal(server.received.length, sent)
  const params = Object.create(Object.create(null) as object) as { id: string }
  params.id = 'a1'
  await connect().showAgent({ path: params })
  assert.equal(server.received.length, sent + 1)
})

test('a function of the credential that hangs is given up with the request', async () => {
  const administration = connect({ apiKey: () => new Promise(() => undefined), timeoutMs: 30 })
  await assert.rejects(administration.showStatus(), {
    name: 'ApiUnavailable',
    message: /the function of the credential did not return within 30 ms/,
  })
})

test('a condition that is there at the first reading alone is sent, because there is no second one', async () => {
  let [sent, reads] = ['', 0]
  const administration = connect({
    fetch: async (_, init) => {
      sent = typeof init?.body === 'string' ? init.body : ''
      return Response.json({})
    },
  })
  const body = {
    scope: 'db:read',
    get agent_id(): string | undefined {
      reads += 1
      return reads > 1 ? undefined : 'a1'
    },
  }
  await administration.createRevocation({ body } as never)
  assert.deepEqual(JSON.parse(sent), { scope: 'db:read', agent_id: 'a1' })
})

test('a request is sent as it was when it was asked for', async () => {
  const sent: unknown[] = []
  const administration = connect({
    fetch: async (_, init) => {
      sent.push(JSON.parse(typeof init?.body === 'string' ? init.body : ''))
      return Response.json({})
    },
  })
  const [path, body] = [{ id: 'a1' }, { dry_run: true as boolean, note: undefined }]
  const first = administration.disableAgent({ path, body } as never)
  body.dry_run = false
  await Promise.all([first, administration.disableAgent({ path, body } as never)])
  assert.deepEqual(sent, [{ dry_run: true }, { dry_run: false }])
})
