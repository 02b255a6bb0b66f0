// A store whose commits take long: fewer token requests may wait for it, the others are refused at once and for nothing, and
// revocation and introspection go on. Time is the test's.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { monotonicMs } from '../../src/store/clocks.ts'
import { askToken, assertError, introspect, issue, revoke } from '../../../testkit/callers/requests.ts'
import { startServer } from '../../../testkit/services/test-server.ts'

const ISSUES_MIN = 256
/** As long as each commit takes for the time that the thread measures. */
const COMMIT_MS = 4000
const PATIENT_MS = 600_000

/** A service each of whose inserts of tokens takes the time that it is given, or waits for the test. */
const startSlow = async (t: TestContext) => {
  // Deadlines are far for the store, whose clock goes on meanwhile.
  const began = Math.ceil(monotonicMs()) + PATIENT_MS
  const state = { passedMs: 0, commitMs: 0, waits: false, waiting: 0, lookups: 0 }
  const [go, full] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const service = await startServer({
    timing: { storeMs: PATIENT_MS },
    break: ({ ledger, agents, ...ports }) => ({
      ...ports,
      monotonic: () => began + state.passedMs,
      ledger: {
        ...ledger,
        insert: async tokens => {
          if (state.waits) {
            state.waiting += tokens.length
            if (state.waiting >= ISSUES_MIN) full.resolve()
            await go.promise
          }
          const outcomes = await ledger.insert(tokens)
          state.passedMs += state.commitMs
          return outcomes
        },
      },
      agents: {
        ...agents,
        viewForIssue: (ids, freshness) => {
          state.lookups += 1
          return agents.viewForIssue(ids, freshness)
        },
      },
    }),
  })
  t.after(async () => {
    go.resolve()
    await service.close()
  })
  return { service, state, full: full.promise, go: go.resolve }
}

test('after commits that took 4 s, 256 token requests may wait: the next is refused at once, the rest of the service goes on', async t => {
  const { service, state, full, go } = await startSlow(t)
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const token = await issue(service, agent)
  state.commitMs = COMMIT_MS
  for (let n = 0; n < 3; n += 1) assert.equal((await askToken(service, agent)).status, 200)
  Object.assign(state, { commitMs: 0, waits: true })
  const asked = Array.from({ length: ISSUES_MIN }, () => askToken(service, agent))
  // None of them is answered while the store waits.
  await Promise.race([full, Promise.any(asked)])
  assert.equal(state.waiting, ISSUES_MIN)
  const { lookups } = state
  const refused = await askToken(service, agent)
  const description = 'More requests of this kind are waiting than are taken: try again.'
  assertError(refused, 503, 'temporarily_unavailable', description)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(state.lookups, lookups, 'nothing was looked up for it')
  assert.match((await introspect(service, key, token)).text, /^\{"active":true,/)
  assert.equal((await revoke(service, token)).status, 200)
  assert.equal((await introspect(service, key, token)).text, '{"active":false}')
  go()
  const answers = await Promise.all(asked)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})
