// The whole service against a small model: random requests over HTTP, random acts, random steps of time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { basic, claimsOf, get, introspect, issue, postForm, revoke } from '../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../testkit/services/test-server.ts'
import { START } from '../../../testkit/stores/store.ts'

const RUNS = 4
const STEPS = 120
const LIFETIMES = [2, 30, 300]

type Known = {
  readonly jti: string
  readonly text: string
  readonly agent: number
  readonly expiresAt: number
  end?: { readonly at: number; readonly reason: string }
}

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('issue' as const), agent: fc.nat(2) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('introspect' as const), token: fc.nat(999) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), token: fc.nat(999) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke own' as const), token: fc.nat(999) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disable' as const), agent: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('enable' as const), agent: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(4000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('step the clock back' as const), ms: fc.nat(20_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lists' as const), limit: fc.integer({ min: 1, max: 9 }) }) },
)

type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

type World = {
  readonly service: TestServer
  readonly key: string
  readonly reader: string
  readonly agents: readonly AgentOfTest[]
  readonly enabled: boolean[]
  readonly tokens: Known[]
  now: number
}

const makeWorld = async (): Promise<World> => {
  const service = await startServer()
  const agents: AgentOfTest[] = []
  for (const lifetimeSeconds of LIFETIMES) agents.push(await service.createAgent({ lifetimeSeconds }))
  const key = (await service.createApiKey('tokens:introspect')).key
  const reader = (await service.createApiKey('tokens:read')).key
  return { service, key, reader, agents, enabled: agents.map(() => true), tokens: [], now: START }
}

const isLive = (world: World, token: Known): boolean => token.end === undefined && world.now < token.expiresAt

const end = (world: World, token: Known, reason: string): void => {
  if (isLive(world, token)) token.end = { at: world.now, reason }
}

const agentOf = (world: World, n: number): AgentOfTest => {
  const agent = world.agents[n]
  assert.ok(agent)
  return agent
}

const doIssue = async (world: World, n: number): Promise<void> => {
  const agent = agentOf(world, n)
  if (world.enabled[n] !== true) {
    const { clientId: client_id, clientSecret: client_secret } = agent
    const form = { grant_type: 'client_credentials', client_id, client_secret }
    assert.equal((await postForm(world.service, '/oauth/token', form)).status, 401)
    return
  }
  const text = await issue(world.service, agent)
  const { jti, iat } = claimsOf(text) as { jti: string; iat: number }
  assert.equal(iat, Math.floor(world.now / 1000))
  world.tokens.push({ jti, text, agent: n, expiresAt: 1000 * (iat + (LIFETIMES[n] ?? 0)) })
}

const scan = async (world: World, path: string, limit: number): Promise<Record<string, unknown>[]> => {
  const records: Record<string, unknown>[] = []
  for (let cursor = ''; ; ) {
    const { status, json, text } = await get(world.service, `${path}?limit=${limit}${cursor}`, {
      'x-api-key': world.reader,
    })
    assert.equal(status, 200, text)
    const page = json as { data: Record<string, unknown>[]; next_cursor: string | null }
    records.push(...page.data)
    if (page.next_cursor === null) return records
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

const checkLists = async (world: World, limit: number): Promise<void> => {
  const live = world.tokens.filter(token => isLive(world, token)).map(({ jti }) => jti)
  const listed = await scan(world, '/api/v1/tokens', limit)
  assert.deepEqual(
    listed.map(({ id }) => id),
    live.toSorted().toReversed(),
  )
  const ended = world.tokens
    .filter(token => !isLive(world, token))
    .map(({ jti, end: early, expiresAt }) => ({ jti, ...(early ?? { at: expiresAt, reason: 'expired' }) }))
    .toSorted((a, b) => b.at - a.at || (a.jti < b.jti ? 1 : -1))
  const history = await scan(world, '/api/v1/tokens/history', limit)
  const shown = history.map(({ id, ended_at: at, termination_reason: reason }) => ({
    jti: id,
    at: Date.parse(String(at)),
    reason,
  }))
  assert.deepEqual(shown, ended)
}

const onToken = async (world: World, kind: 'introspect' | 'revoke' | 'revoke own', n: number): Promise<void> => {
  const token = world.tokens[n % Math.max(world.tokens.length, 1)]
  if (token === undefined) return
  if (kind === 'introspect') {
    const { json } = await introspect(world.service, world.key, token.text)
    assert.equal((json as { active: boolean }).active, isLive(world, token), token.jti)
  } else if (kind === 'revoke') {
    assert.equal((await revoke(world.service, token.text)).status, 200)
    end(world, token, 'manual_revocation')
  } else {
    const { clientId, clientSecret } = agentOf(world, token.agent)
    const answer = await postForm(world.service, '/oauth/revoke', { token: token.text }, basic(clientId, clientSecret))
    assert.equal(answer.status, world.enabled[token.agent] === true ? 200 : 401)
    if (answer.status === 200) end(world, token, 'self_revocation')
  }
}

const perform = async (world: World, step: Command): Promise<void> => {
  switch (step.kind) {
    case 'issue':
      return doIssue(world, step.agent)
    case 'introspect':
    case 'revoke':
    case 'revoke own':
      return onToken(world, step.kind, step.token)
    case 'disable':
      await world.service.disableAgent(agentOf(world, step.agent).agentId)
      world.enabled[step.agent] = false
      for (const token of world.tokens) if (token.agent === step.agent) end(world, token, 'agent_disabled')
      return
    case 'enable':
      await world.service.enableAgent(agentOf(world, step.agent).agentId)
      world.enabled[step.agent] = true
      return
    case 'advance':
      world.service.clock.advance(step.ms)
      world.now += step.ms
      return
    case 'step the clock back':
      // The service's time goes on: only the wall clock, set right again later, has moved.
      world.service.clock.stepWall(-step.ms)
      await checkLists(world, 9)
      world.service.clock.stepWall(step.ms)
      return
    case 'lists':
      return checkLists(world, step.limit)
  }
}

test('a token is active from its issue until its first end, and then in history exactly once', async () => {
  const seed = Date.now()
  const runs = fc.sample(fc.array(command, { minLength: STEPS, maxLength: STEPS, size: 'max' }), {
    seed,
    numRuns: RUNS,
  })
  for (const [run, steps] of runs.entries()) {
    const world = await makeWorld()
    const done: Command[] = []
    try {
      for (const step of steps) {
        done.push(step)
        await perform(world, step)
      }
      await checkLists(world, 1000)
    } catch (fault) {
      throw new Error(`Seed ${seed}, run ${run}, after ${JSON.stringify(done)}`, { cause: fault })
    } finally {
      await world.service.close()
    }
  }
})
