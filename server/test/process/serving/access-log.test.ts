// The access log of a service that answers real requests: a line for each, which nobody else writes a part of.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startTraced } from '../../../../testkit/collectors/serve-process.ts'
import { LOG_EVENTS } from '../../../src/ports/log-events.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { until } from '../../../../testkit/processes/until.ts'

const OPTIONS = { timeout: 120_000 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

type Line = Readonly<Record<string, unknown>>

const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Line)

const accessOf = (text: string): readonly Line[] => linesOf(text).filter(({ msg }) => msg === 'request')

const send = async (port: number, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'connect')
  socket.end(bytes)
  await once(socket, 'close')
  return text
}

/** What differs from request to request, of the one line that the request has. */
const showOf = (lines: readonly Line[], requestId: unknown, isTraced: boolean) => {
  const found = lines.filter(line => line['requestId'] === requestId)
  assert.equal(found.length, 1, `${String(requestId)} has ${found.length} lines.`)
  const { time, seconds, pid, hostname, level, event, traceId, bytes, msg, requestId: _, ...rest } = found[0] ?? {}
  assert.ok(typeof time === 'number' && typeof seconds === 'number' && seconds >= 0 && level === 30)
  assert.ok(
    pid !== undefined &&
      hostname !== undefined &&
      event === 'request' &&
      msg === 'request' &&
      typeof bytes === 'number' &&
      bytes > 0,
  )
  assert.ok(!isTraced || /^[0-9a-f]{32}$/.test(String(traceId)), 'The id of the trace is missing.')
  return rest
}

/** Parts of what the callers below send that no line may hold. */
const NEVER_SHOWN = ['-secret', '\\u001b', '\u001b', '\u202e', 'client_secret=']

const assertNoneIn = (log: string, secrets: readonly string[]): void =>
  secrets.forEach(secret => assert.ok(!log.includes(secret), `The log holds ${secret}`))

test(
  'each request has one line, with who, what and how it ended, and nothing that a caller wrote',
  OPTIONS,
  async t => {
    // No collector is there: the id of a trace is known all the same.
    const settings = { MINTMARK_ACCESS_LOG: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const service = await startTraced(t, settings, { traceFlushMs: 100 })
    const { agent, apiKey, ask, port } = service
    const { client_id, client_secret } = agent
    const hostile = 'a\u001b[31m\u202e'
    const token = await service.issue({ 'x-request-id': 'r1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })
    const id = (n: number, headers: Readonly<Record<string, string>> = {}) => ({ 'x-request-id': `r${n}`, ...headers })
    const key = { 'x-api-key': apiKey.api_key }
    await ask('/oauth/introspect/v2', { form: { token }, headers: id(2, key) })
    await ask('/oauth/token', {
      form: { grant_type: 'client_credentials', client_id: hostile, client_secret: 'wrong-secret' },
      headers: id(3),
    })
    await ask('/oauth/token?client_secret=query-secret', { form: { grant_type: 'client_credentials' }, headers: id(4) })
    await ask(`/api/v1/agents/${agent.agent_id}`, { headers: id(5, key) })
    await ask('/nowhere/path-secret', { headers: id(6, { 'user-agent': 'agent-secret' }) })
    await ask('/oauth/token/%ff', { headers: id(7) })
    await ask('/oauth/revoke', { form: { token, client_id, client_secret }, headers: id(8) })
    await ask('/livez', { headers: { 'x-request-id': 'r9 \u00ff{"msg":"request"}' } })
    const broken = await send(port, 'GET /livez HTTP/1.1\r\nhost: x\r\nbad header: broken-secret\r\n\r\n')
    const brokenId = /x-request-id: (.*)\r/.exec(broken)?.[1]
    await service.running.stop()

    const text = service.running.errors()
    const lines = accessOf(text)
    const events = new Set(linesOf(text).map(({ event }) => String(event)))
    assert.deepEqual(
      [...events].filter(event => !Object.hasOwn(LOG_EVENTS, event)),
      [],
    )
    assert.ok(events.has('token_revocation'))
    assert.equal(lines.length, 10)
    const shown = (requestId: unknown) => showOf(lines, requestId, requestId !== brokenId)
    const POST = { method: 'POST', code: null, status: 200 }
    const who = `agent:${agent.agent_id}`
    assert.deepEqual(shown('r1'), { ...POST, route: '/oauth/token', operation: 'issueToken', who })
    assert.equal(lines.find(line => line['requestId'] === 'r1')?.['traceId'], TRACE)
    const introspect = {
      route: '/oauth/introspect/v2',
      operation: 'introspectToken',
      who: `api_key:${apiKey.api_key_id}`,
    }
    assert.deepEqual(shown('r2'), { ...POST, ...introspect })
    const refused = { ...POST, route: '/oauth/token', operation: 'issueToken', who: null }
    assert.deepEqual(shown('r3'), { ...refused, status: 401, code: 'invalid_client' })
    assert.deepEqual(shown('r4'), { ...refused, status: 400, code: 'invalid_request' })
    const read = { method: 'GET', route: '/api/v1/agents/{id}', operation: 'showAgent', who: introspect.who }
    assert.deepEqual(shown('r5'), { ...read, status: 403, code: 'insufficient_scope' })
    const nowhere = { method: 'GET', route: null, operation: 'other', who: null }
    assert.deepEqual(shown('r6'), { ...nowhere, status: 404, code: 'not_found' })
    assert.deepEqual(shown('r7'), { ...nowhere, status: 400, code: 'invalid_request' })
    assert.deepEqual(shown('r8'), { ...POST, route: '/oauth/revoke', operation: 'revokeToken', who })
    assert.deepEqual(shown(brokenId), { ...nowhere, method: null, status: 400, code: 'invalid_request' })
    assertNoneIn(text, [token, client_secret, apiKey.api_key, ...NEVER_SHOWN])
  },
)

/** One for a caller who hangs up, and the flood after that. */
const shared = await startTraced({ after }, { MINTMARK_ACCESS_LOG: 'on', MINTMARK_WORKERS: '2', LOG_LEVEL: 'debug' })

test('a caller who hangs up has a line without a status, and counts in no metric of answers', OPTIONS, async () => {
  const { port, metricsPort, running } = shared
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    'POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\nx-request-id: gone\r\ncontent-length: 50\r\n\r\ngrant',
  )
  socket.once('error', () => undefined)
  setTimeout(() => socket.resetAndDestroy(), 200)
  await until('the line is there', () => Promise.resolve(accessOf(running.errors()).length > 0))
  const [line] = accessOf(running.errors())
  assert.deepEqual([line?.['requestId'], line?.['status'], line?.['route']], ['gone', null, '/oauth/token'])
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  assert.match(metrics, /^mintmark_refusals_total\{code="invalid_request"\} 1$/m)
  assert.doesNotMatch(metrics, /^mintmark_request\w+\{operation="issueToken".* [1-9]/m)
})

test('a flood of wrong secrets is a line each and few writes, and lines of threads do not mix', OPTIONS, async () => {
  const service = shared
  const form = { grant_type: 'client_credentials', client_id: 'agt_none', client_secret: 'wrong' }
  const [ROUNDS, AT_ONCE] = [isThorough ? 20 : 8, 50]
  for (let n = 0; n < ROUNDS; n += 1) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => service.ask('/oauth/token', { form })))
  }
  await service.running.stop()
  const text = service.running.errors()
  const lines = accessOf(text).filter(({ requestId }) => requestId !== 'gone')
  assert.equal(lines.length, ROUNDS * AT_ONCE)
  for (const line of text.split('\n').filter(one => one !== '')) assert.doesNotThrow(() => JSON.parse(line), line)
})

test('without the setting no request has a line', OPTIONS, async t => {
  const service = await startTraced(t, {})
  await service.issue()
  await service.running.stop()
  assert.deepEqual(accessOf(service.running.errors()), [])
})
