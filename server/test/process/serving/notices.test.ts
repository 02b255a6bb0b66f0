// What the main thread sends to serving threads while the service runs reaches those that start later too.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { migrateStore, openService } from '../../../src/compose/compose.ts'
import { timingOf } from '../../../src/compose/timing.ts'
import { readServeConfig } from '../../../src/config/config.ts'
import { fail } from '../../../src/domain/checkup.ts'
import { makeNotices } from '../../../src/serving/notices.ts'
import { startServing } from '../../../src/serving/serving-threads.ts'
import { freePorts, KEY, makeFolder } from '../../../../testkit/commands/run-mintmark.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'

const LIMIT = { timeout: 300_000 }

test('a thread that takes the place of another has the reloaded providers and the latest checks', LIMIT, async t => {
  const [removed, kept, [port]] = [await startIdentityProvider(), await startIdentityProvider(), await freePorts()]
  t.after(() => Promise.all([removed.close(), kept.close()]))
  const config = await readServeConfig({
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
    MINTMARK_DATA_DIR: join(makeFolder(t), '.mintmark'),
    MINTMARK_IDP_ISSUER: removed.issuer,
    MINTMARK_IDP_AUDIENCE: removed.audience,
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    LOG_LEVEL: 'silent',
    HOST: '127.0.0.1',
    PORT: String(port),
  })
  const timing = { ...timingOf(config), threadRestartMs: 50 }
  await migrateStore(config)
  const { host, keySets, threadEnds, metrics, close } = await openService(config, timing)
  const notices = makeNotices()
  const started: Worker[] = []
  const onWorker = (worker: Worker): void => void started.push(worker)
  process.on('worker', onWorker)
  const logger = pino({ level: 'silent' })
  const serving = await startServing({ config, timing, host, keySets, logger, threadEnds, metrics, notices })
  t.after(async () => {
    process.off('worker', onWorker)
    await serving.close()
    await close()
  })
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: response.statusCode, body: await text(response) }
  }
  const operator = async (provider: typeof removed) =>
    (await get('/api/v1/tokens', { authorization: `Bearer ${await provider.operatorJwt()}` })).status
  assert.deepEqual([await operator(removed), await operator(kept)], [200, 401])

  const [provider] = config.identityProviders
  assert.ok(provider)
  notices.publishReloaded({ identityProviders: [{ ...provider, issuer: kept.issuer, audience: kept.audience }] })
  notices.publishChecks([{ name: 'versions', findings: [fail({ what: 'w.', remedy: 'r.', brief: 'It is too old.' })] }])
  const component = '"check":"versions","status":"problem","reason":"It is too old."'
  const untilKnown = async (): Promise<void> => {
    for (;;) {
      const answer = await get('/readyz?verbose').catch(() => undefined)
      if (answer?.body.includes(component) === true) return
      await delay(50)
    }
  }
  await untilKnown()
  assert.deepEqual([await operator(removed), await operator(kept)], [401, 200])

  await started.at(-1)?.terminate()
  await untilKnown()
  assert.equal(started.length, 2)
  assert.deepEqual([await operator(removed), await operator(kept)], [401, 200])
})
