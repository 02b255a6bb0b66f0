// Traces as a collector receives them, from a service that answers real requests.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type CollectedSpan, startCollector } from '../../../../testkit/collectors/collector.ts'
import { startTraced, type ServeProcess } from '../../../../testkit/collectors/serve-process.ts'
import { makeFolder, type Scope } from '../../../../testkit/commands/run-mintmark.ts'

const OPTIONS = { timeout: 120_000 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1,other=2' }

const named = (spans: readonly CollectedSpan[], name: string): readonly CollectedSpan[] =>
  spans.filter(span => span.name === name)

const below = (spans: readonly CollectedSpan[], parent: CollectedSpan | undefined): readonly string[] =>
  spans
    .filter(span => span.traceId === parent?.traceId && span.parentSpanId === parent.spanId)
    .map(({ name }) => name)
    .toSorted()

const isLinked = (from: CollectedSpan | undefined, to: CollectedSpan | undefined): boolean =>
  from !== undefined && from.links.some(({ traceId, spanId }) => traceId === to?.traceId && spanId === to.spanId)

/** As many requests on connections of their own, sent at once. */
const introspectTogether = async ({ port, apiKey }: ServeProcess, token: string, count: number): Promise<void> => {
  const body = `token=${token}`
  const head = `POST /oauth/introspect/v2 HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey.api_key}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const ended = sockets.map(async socket => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await once(socket, 'close')
    assert.match(text, /^HTTP\/1\.1 200 /)
  })
  for (const socket of sockets) socket.write(head + body)
  await Promise.all(ended)
}

/** Each span counts on from the whole millisecond in which it began. */
const CLOCKS_APART = 1_000_000n

/** Of one issue, introspection, revocation and request that no route fits. */
const checkSteps = (spans: readonly CollectedSpan[], issue: CollectedSpan): void => {
  const batch = named(spans, 'batch issue').find(one => isLinked(one, issue))
  assert.ok(isLinked(issue, batch), 'The request is not linked with its batch.')
  assert.deepEqual(below(spans, issue), ['parse'])
  assert.deepEqual(below(spans, batch), ['authenticate', 'sign', 'write to the store'])
  const write = spans.find(({ name, parentSpanId }) => name === 'write to the store' && parentSpanId === batch?.spanId)
  assert.deepEqual(below(spans, write), ['commit'])
  const commit = spans.find(({ name, parentSpanId }) => name === 'commit' && parentSpanId === write?.spanId)
  assert.ok(commit !== undefined && write !== undefined && batch !== undefined)
  for (const [outer, inner] of [[batch, write]] as const) {
    assert.ok(
      outer.startTime <= inner.startTime + CLOCKS_APART && inner.endTime <= outer.endTime + CLOCKS_APART,
      `${inner.name} is not within ${outer.name}`,
    )
  }
  assert.ok(commit.startTime < commit.endTime)

  const [introspect] = named(spans, 'POST /oauth/introspect/v2')
  const asked = named(spans, 'batch introspect').find(one => isLinked(one, introspect))
  assert.ok(isLinked(introspect, asked))
  assert.deepEqual(below(spans, asked), ['authenticate', 'read the store'])
  const [revoke] = named(spans, 'POST /oauth/revoke')
  assert.deepEqual(below(spans, revoke), ['authenticate', 'parse', 'read the store', 'write to the store'])
  const [nowhere] = named(spans, 'GET')
  assert.deepEqual(
    [nowhere?.attributes['http.route'], nowhere?.attributes['http.response.status_code']],
    [undefined, 404],
  )
}

test('an issue, an introspection and a revocation are traces of the caller, each with its steps', OPTIONS, async t => {
  const collector = await startCollector()
  t.after(collector.close)
  const service = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SERVICE_NAME: 'tokens',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one',
  })
  const { agent, apiKey, ask } = service
  const token = await service.issue({ ...SAMPLED, 'x-request-id': 'issue-1' })
  const headers = { 'x-api-key': apiKey.api_key, 'x-request-id': 'introspect-1' }
  assert.equal((await ask('/oauth/introspect/v2', { form: { token }, headers })).status, 200)
  const { client_id, client_secret } = agent
  assert.equal((await ask('/oauth/revoke', { form: { token, client_id, client_secret } })).status, 200)
  assert.equal(
    (await ask('/oauth/token', { form: { grant_type: 'client_credentials', client_id, client_secret: 'mmc_wrong' } }))
      .status,
    401,
  )
  assert.equal((await ask('/nowhere/agt_1?token=x')).status, 404)
  const ROUTES = ['POST /oauth/token', 'POST /oauth/introspect/v2', 'POST /oauth/revoke', 'GET'] as const
  const { spans } = collector
  await collector.waitFor(
    'all requests are exported',
    () => ROUTES.every(name => named(spans, name).length > 0) && named(spans, 'POST /oauth/token').length === 2,
  )

  const [issue, refused] = named(spans, 'POST /oauth/token')
  assert.deepEqual(
    [issue?.traceId, issue?.parentSpanId, issue?.traceState, issue?.kind, issue?.status],
    [TRACE, PARENT, SAMPLED.tracestate, 2, 0],
  )
  assert.deepEqual(issue?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/oauth/token',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'mintmark.operation': 'issueToken',
    'mintmark.request_id': 'issue-1',
  })
  assert.deepEqual([refused?.attributes['http.response.status_code'], refused?.status], [401, 0])
  assert.equal(issue.resource['service.name'], 'tokens')
  assert.equal(issue.resource['deployment.environment.name'], 'test')
  assert.equal(collector.exports[0]?.['x-tenant'], 'one')

  checkSteps(spans, issue)
  await service.running.stop()
  const text = JSON.stringify(spans, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  for (const secret of [
    agent.agent_id,
    client_id,
    client_secret,
    apiKey.api_key,
    apiKey.api_key_id,
    token,
    '127.0.0.1',
    'agt_1',
    'mmc_',
  ]) {
    assert.ok(!text.includes(secret), `A span holds ${secret}`)
  }
})

/** One for the tests that need no more than to be traced. */
const startShared = async (scope: Scope) => {
  const collector = await startCollector()
  scope.after(collector.close)
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, LOG_LEVEL: 'silent' }
  const service = await startTraced(scope, settings, { traceExportMs: 50 })
  return { collector, service }
}

const shared = await startShared({ after })

test('requests that are decided together are linked with one batch, and it with each of them', OPTIONS, async () => {
  const { collector, service } = shared
  const token = await service.issue()
  const COUNT = 20
  const { spans } = collector
  const before = named(spans, 'POST /oauth/introspect/v2').length
  await introspectTogether(service, token, COUNT)
  await collector.waitFor('all are exported', () => named(spans, 'POST /oauth/introspect/v2').length === before + COUNT)
  const requests = named(spans, 'POST /oauth/introspect/v2').slice(before)
  const batches = named(spans, 'batch introspect').filter(batch => requests.some(one => isLinked(one, batch)))
  // How many arrive in one turn is up to the system: each batch has those of its own.
  for (const batch of batches) {
    const members = requests.filter(one => isLinked(one, batch))
    assert.equal(members.length, batch.attributes['mintmark.batch.requests'])
    assert.equal(members.length, batch.links.length)
    assert.ok(members.every(member => isLinked(batch, member) && member.links.length === 1))
  }
  assert.equal(
    batches.reduce((sum, { links }) => sum + links.length, 0),
    COUNT,
  )
  assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, COUNT)
})

test('the flag and the form of traceparent are respected, and none of it changes an answer', OPTIONS, async () => {
  const { collector, service } = shared
  const { ask } = service
  const isBatch = ({ name }: CollectedSpan): boolean => name === 'batch issue'
  await collector.waitFor(
    'the batch of the test before is exported',
    () => collector.spans.filter(isBatch).length === 1,
  )
  const id = (n: number): string => `00000000000000000000000000000a0${n}`
  const MANY = Array.from({ length: 2000 }, (_, n) => `a${n}=1`).join(',')
  const sent: readonly (readonly [headers: Readonly<Record<string, string>>, isContinued: boolean])[] = [
    [{ traceparent: `00-${id(1)}-${PARENT}-01` }, true],
    [{ traceparent: `00-${id(2)}-${PARENT}-01`, tracestate: MANY }, true],
    [{ traceparent: `00-${id(3)}-${PARENT}-01-more` }, false],
    [{ traceparent: `ff-${id(4)}-${PARENT}-01` }, false],
    [{ traceparent: `00-${id(5).toUpperCase()}-${PARENT}-01` }, false],
    [{ traceparent: `00-${id(6)}-${'0'.repeat(16)}-01` }, false],
    [{ traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }, false],
    [{ traceparent: `01-${id(7)}-${PARENT}-01-${'x'.repeat(8000)}` }, false],
    [{ traceparent: `01-${id(8)}-${PARENT}-01-more` }, true],
  ]
  for (const [n, [headers]] of sent.entries()) {
    assert.equal((await ask('/livez', { headers: { ...headers, 'x-request-id': `r${n}` } })).status, 200)
  }
  const unsampled = { traceparent: `00-${id(9)}-${PARENT}-00`, 'x-request-id': 'unsampled' }
  const token = await service.issue(unsampled)
  assert.ok(token.length > 0)
  assert.equal((await ask('/livez', { headers: { traceparent: 'x'.repeat(100_000) } })).status, 431)
  await ask('/livez', { headers: { 'x-request-id': 'last' } })
  const { spans } = collector
  const spanOf = (request: string) => spans.find(({ attributes }) => attributes['mintmark.request_id'] === request)
  await collector.waitFor('the last request is exported', () => spanOf('last') !== undefined)
  sent.forEach(([{ traceparent = '' }, isContinued], n) => {
    const span = spanOf(`r${n}`)
    assert.equal(span?.parentSpanId === PARENT && traceparent.includes(span.traceId), isContinued, traceparent)
  })
  assert.equal(spanOf('r1')?.traceState, '')
  assert.equal(spanOf('unsampled'), undefined)
  assert.equal(spans.filter(isBatch).length, 1)
})

test('a sampler that is set decides, and callers decide only where it says so', OPTIONS, async t => {
  const collector = await startCollector()
  t.after(collector.close)
  const service = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    LOG_LEVEL: 'silent',
  })
  await service.issue(SAMPLED)
  await service.running.stop()
  assert.deepEqual(collector.spans, [])
})

/** Of the SDK; the client of Prometheus loads the interface. */
const loadedBy = async (t: TestContext, variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const file = join(makeFolder(t), 'modules')
  const hook = pathToFileURL(join(import.meta.dirname, '../../../../testkit/collectors/list-modules.ts')).href
  const service = await startTraced(t, { ...variables, LOADED_MODULES: file, NODE_OPTIONS: `--import ${hook}` })
  await service.issue()
  assert.equal((await service.running.stop()).status, 0)
  const loaded = readFileSync(file, 'utf8').split('\n')
  assert.ok(
    loaded.some(url => url.includes('/serving-thread.')),
    'The modules of serving threads are not listed.',
  )
  return loaded.filter(url => /@opentelemetry\/(?!api\/)|\/(?:open-telemetry|start-traces)[.-]/.test(url))
}

test('a service that is not traced loads no module of the SDK of OpenTelemetry', OPTIONS, async t => {
  assert.deepEqual(await loadedBy(t, {}), [])
  const collector = await startCollector()
  t.after(collector.close)
  assert.ok((await loadedBy(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })).length > 0)
})
