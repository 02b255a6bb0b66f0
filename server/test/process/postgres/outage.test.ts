// A whole service whose database falls silent, cuts it off and sends it away, and comes back.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { Timing } from '../../../src/ports/timing.ts'
import { BOTH, openLink } from '../../../../testkit/proxies/link.ts'
import { databaseOf, runStatement, testCluster } from '../../../../testkit/databases/postgres-cluster.ts'
import { openStoresThrough } from '../../../../testkit/databases/postgres-store.ts'
import {
  type Answer,
  askToken,
  basic,
  get,
  introspect,
  issue,
  postForm,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'
import { act, createAgent, issue as issueInStore, makeTestStore } from '../../../../testkit/stores/store.ts'

process.env['MINTMARK_TEST_STORE'] = 'postgres'

const makeWorld = async (t: TestContext, timing: Partial<Timing> = {}) => {
  const link = await openLink((await testCluster()).port)
  openStoresThrough({ hosts: [{ host: '127.0.0.1', port: link.port }] })
  const service = await startServer({ timing })
  t.after(async () => {
    await service.close()
    await link.close()
    openStoresThrough({})
  })
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const tokens = await Promise.all(Array.from({ length: 3 }, () => issue(service, agent)))
  const [kept = '', one = '', other = ''] = tokens
  await revoke(service, other)
  const askAll = (): Promise<readonly Answer[]> =>
    Promise.all([
      askToken(service, agent),
      introspect(service, key, kept),
      introspect(service, key, other),
      revoke(service, one),
      postForm(service, '/oauth/revoke', { token: one }, basic(agent.clientId, agent.clientSecret)),
      get(service, '/api/v1/tokens', reader),
      get(service, '/api/v1/tokens/history', reader),
      get(service, '/readyz'),
    ])
  const isActive = async (token: string) => (await introspect(service, key, token)).text
  /** Each answer is right, after however many that are our 503. */
  const recover = async (): Promise<void> => {
    for (let answers = await askAll(); answers.some(({ status }) => status !== 200); answers = await askAll()) {
      assert.deepEqual(
        answers.map(({ status }) => status).filter(status => status !== 200 && status !== 503),
        [],
      )
      await delay(20)
    }
    assert.match(await isActive(kept), /^\{"active":true,/)
    assert.deepEqual([await isActive(one), await isActive(other)], ['{"active":false}', '{"active":false}'])
  }
  return { link, service, askAll, recover }
}

const assertRefused = (answers: readonly Answer[]): void => {
  for (const { path, status, headers, json } of answers) {
    assert.deepEqual([path, status, headers['retry-after']], [path, 503, '1'])
    const { error, status: readiness } = json as { readonly error?: string; readonly status?: unknown }
    if (path === '/readyz') assert.equal(readiness, 'unavailable')
    else assert.equal(error, 'temporarily_unavailable')
  }
}

test('a database that never answers: every operation is 503, the log says it once, and all is right when it is back', async t => {
  const { link, service, askAll, recover } = await makeWorld(t, {
    databaseAnswerMs: 1500,
    connectMs: 1500,
    storeMs: 1700,
  })
  const letGo = link.hold(BOTH)
  assertRefused(await askAll())
  assert.equal(service.log().match(/"level":40.*"msg":"unavailable"/g)?.length, 1)
  assert.doesNotMatch(service.log(), /"stack"/)
  letGo()
  await recover()
})

test('a database that sends everybody away, and connections that are cut: 503 or right, and right afterwards', async t => {
  const { link, service, askAll, recover } = await makeWorld(t)
  link.reset()
  await recover()
  const name = databaseOf(service.storeFile)
  const owner = service.storeFile.replace(name, 'postgres')
  await runStatement(owner, `alter database ${name} allow_connections false`)
  await runStatement(owner, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  assertRefused(await askAll())
  await runStatement(owner, `alter database ${name} allow_connections true`)
  await recover()
})

test('while the database takes nobody every answer is a refusal, and the first one after it is true', async t => {
  const { store, file, dispose } = await makeTestStore(null)
  t.after(dispose)
  const agent = await createAgent(store)
  const [token] = await issueInStore(store, agent, {})
  assert.ok(token)
  const owner = file.replace(databaseOf(file), 'postgres')
  const all = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseOf(file)}'`
  const takes = async (allowed: boolean) => {
    await runStatement(owner, `alter database ${databaseOf(file)} allow_connections ${allowed}`)
    if (!allowed) await runStatement(owner, all)
  }
  await takes(false)
  await assert.rejects(store.ledger.find([token]), Unavailable)
  await assert.rejects(store.ledger.end(token, 'manual_revocation', act('token.revoke')), Unavailable)
  await assert.rejects(store.agents.viewForIssue([agent.clientId], 'cached'), Unavailable)
  assert.match(String(await store.health.check()), /cannot be reached/)
  await takes(true)
  assert.equal((await store.ledger.find([token]))[0]?.dead, false)
  assert.equal(await store.ledger.end(token, 'manual_revocation', act('token.revoke')), 'ended')
})
