// What the main thread sends to serving threads while the service runs reaches those that start later too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fail } from '../../../src/domain/checkup.ts'
import { makeNotices } from '../../../src/serving/notices.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { serveHere } from '../../../../testkit/services/serve-here.ts'

const LIMIT = { timeout: 300_000 }

test('a thread that takes the place of another has the reloaded providers and the latest checks', LIMIT, async t => {
  const notices = makeNotices()
  const { config, provider: removed, workers, ask } = await serveHere(t, { notices })
  const kept = await startIdentityProvider()
  t.after(() => kept.close())
  const operator = async (provider: typeof removed) =>
    (await ask('/api/v1/tokens', { authorization: `Bearer ${await provider.operatorJwt()}` })).status
  assert.deepEqual([await operator(removed), await operator(kept)], [200, 401])

  const [provider] = config.identityProviders
  assert.ok(provider)
  notices.publishReloaded({ identityProviders: [{ ...provider, issuer: kept.issuer, audience: kept.audience }] })
  notices.publishChecks([{ name: 'versions', findings: [fail({ what: 'w.', remedy: 'r.', brief: 'It is too old.' })] }])
  const component = '"check":"versions","status":"problem","reason":"It is too old."'
  const untilKnown = async (): Promise<void> => {
    for (;;) {
      const answer = await ask('/readyz?verbose').catch(() => undefined)
      if (answer?.body.includes(component) === true) return
      await delay(50)
    }
  }
  await untilKnown()
  assert.deepEqual([await operator(removed), await operator(kept)], [401, 200])

  await workers.at(-1)?.terminate()
  await untilKnown()
  assert.equal(workers.length, 2)
  assert.deepEqual([await operator(removed), await operator(kept)], [401, 200])
})
