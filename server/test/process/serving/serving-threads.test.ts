// Serving threads, and the main thread that fetches keys for them: what goes on where that hangs, and what a thread that
// takes another's place is given.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { migrateStore, openService } from '../../../src/compose/compose.ts'
import { ENDS_MAX } from '../../../src/compose/thread-ends.ts'
import { timingOf } from '../../../src/compose/timing.ts'
import { readServeConfig } from '../../../src/config/config.ts'
import type { KeySets } from '../../../src/ports/key-sets.ts'
import { startServing } from '../../../src/serving/serving-threads.ts'
import { KEY, freePorts, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'

const LIMIT = { timeout: 300_000 }

/** One serving thread, whose main thread is this one; `between` stands between it and the keys. */
const startOne = async (t: TestContext, between: (keySets: KeySets) => KeySets) => {
  const folder = makeFolder(t)
  const provider = await startIdentityProvider()
  t.after(() => provider.close())
  const [port] = await freePorts()
  const config = await readServeConfig({
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
    MINTMARK_DATA_DIR: join(folder, '.mintmark'),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    LOG_LEVEL: 'silent',
    HOST: '127.0.0.1',
    PORT: String(port),
  })
  const timing = { ...timingOf(config), threadRestartMs: 50, keyRelayMs: 500, keyAskAgainMs: 50 }
  await migrateStore(config)
  const made = run(folder, ['api-key', 'create', '--name', 'k', '--permission', 'tokens:read', '--json'])
  const { api_key: key } = JSON.parse(made.stdout) as { readonly api_key: string }
  const service = await openService(config, timing)
  const started: Worker[] = []
  const onWorker = (worker: Worker): void => void started.push(worker)
  process.on('worker', onWorker)
  const keySets = between(service.keySets)
  const { host, threadEnds, metrics } = service
  const serving = await startServing({
    config,
    timing,
    host,
    keySets,
    logger: pino({ level: 'silent' }),
    threadEnds,
    metrics,
  })
  t.after(async () => {
    process.off('worker', onWorker)
    await serving.close()
    await service.close()
  })

  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }
  const list = async (headers: Readonly<Record<string, string>>) => {
    const { status, headers: answered } = await get('/api/v1/tokens', headers)
    return [status, answered['retry-after']]
  }
  const asOperator = async () => list({ authorization: `Bearer ${await provider.operatorJwt({ jti: randomUUID() })}` })
  const withKey = () => list({ 'x-api-key': key })
  return { provider, started, asOperator, withKey, get }
}

test(
  'while the main thread answers nothing operators are 503, API keys are served, and both are once it does',
  LIMIT,
  async t => {
    let isSilent = true
    const silent = (keySets: KeySets): KeySets => ({
      latest: (...asked) => (isSilent ? new Promise(() => undefined) : keySets.latest(...asked)),
    })
    const { asOperator, withKey, provider } = await startOne(t, silent)
    const waiting = Promise.all(Array.from({ length: 200 }, asOperator))
    for (let n = 0; n < 20; n += 1) assert.deepEqual(await withKey(), [200, undefined])
    assert.deepEqual(new Set((await waiting).map(String)), new Set(['503,1']))
    isSilent = false
    // It is asked again once a moment has passed.
    let answered = await asOperator()
    for (; answered[0] === 503; answered = await asOperator()) await withKey()
    assert.deepEqual(answered, [200, undefined])
    assert.deepEqual(provider.fetches, { metadata: 1, jwks: 1 })
  },
)

test('a main thread that fails to read a key set lives on, and so does the thread that asked', LIMIT, async t => {
  let failures = 1
  const faulty = (keySets: KeySets): KeySets => ({
    latest: async (...asked) => {
      failures -= 1
      if (failures >= 0) throw new Error('a fault')
      return keySets.latest(...asked)
    },
  })
  const { asOperator, withKey } = await startOne(t, faulty)
  assert.deepEqual(await asOperator(), [503, '1'])
  assert.deepEqual(await withKey(), [200, undefined])
  let answered = await asOperator()
  for (; answered[0] === 503; answered = await asOperator()) await withKey()
  assert.deepEqual(answered, [200, undefined])
})

test('a thread that takes the place of another verifies with the keys that the main thread holds', LIMIT, async t => {
  const { asOperator, provider, started } = await startOne(t, keySets => keySets)
  assert.deepEqual(await asOperator(), [200, undefined])
  const [first] = started
  assert.ok(first)
  const replaced = once(process, 'worker')
  await first.terminate()
  const [second] = await replaced
  await once(second as Worker, 'online')
  let answered: readonly unknown[] = []
  while (answered[0] !== 200) answered = await asOperator().catch(() => [])
  assert.deepEqual(answered, [200, undefined])
  assert.deepEqual(provider.fetches, { metadata: 1, jwks: 1 })
})

test('a thread that ends is replaced, and five ends within a minute make the service unready', LIMIT, async t => {
  const { started, get } = await startOne(t, keySets => keySets)
  const untilAnswered = async (): Promise<string> => {
    for (;;) {
      const answer = await get('/readyz').catch(() => undefined)
      if (answer !== undefined) return `${answer.status} ${answer.body}`
      await delay(50)
    }
  }
  for (let ends = 0; ends < ENDS_MAX; ends += 1) {
    assert.match(await untilAnswered(), /^200 /)
    await started.at(-1)?.terminate()
  }
  assert.match(await untilAnswered(), /^503 .*Threads of the process ended by themselves 5 times within a minute/)
  assert.equal(started.length, ENDS_MAX + 1)
})
