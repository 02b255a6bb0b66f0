// POST /oauth/token: what is served together in one turn of the event loop, and what a refusal costs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIFETIMES_MAX } from '../../../src/domain/clients/agent.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { type FormRequest, sendTogether } from '../../../../testkit/callers/together.ts'
import { askToken, issue } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

/** Runs `work` against a service and gives the sizes of the groups that it wrote. */
const countInserts = async (work: (service: TestServer, groups: number[]) => Promise<void>): Promise<void> => {
  const groups: number[] = []
  const service = await startServer({
    break: ({ ledger, ...ports }) => ({
      ...ports,
      ledger: {
        ...ledger,
        insert: tokens => {
          groups.push(tokens.length)
          return ledger.insert(tokens)
        },
      },
    }),
  })
  try {
    await work(service, groups)
  } finally {
    await service.close()
  }
}

const requestOf = ({ clientId, clientSecret }: AgentOfTest): FormRequest => {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return { path: '/oauth/token', form: new URLSearchParams(fields).toString() }
}

/** The answers to two requests that arrive in one turn, in order. */
const askTogether = async (service: TestServer, one: AgentOfTest, two: AgentOfTest): Promise<readonly string[]> =>
  (await sendTogether(service, [one, two].map(requestOf))).map(({ text }) => text)

test('what arrives in one turn of the event loop is written together', () =>
  countInserts(async (service, groups) => {
    const answers = await askTogether(service, await service.createAgent(), await service.createAgent())
    assert.equal(answers.length, 2)
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
      assert.match(answer, /\r\npragma: no-cache\r\n/i)
      assert.match(answer, /"access_token":"[^"]+"/)
    }
    assert.notEqual(answers[0]?.match(/"access_token":"[^"]+"/)?.[0], answers[1]?.match(/"access_token":"[^"]+"/)?.[0])
    assert.deepEqual(groups, [2])
  }))

test('no room for a lifetime more: 503 with Retry-After for that request, 200 for its neighbour of the group', () =>
  countInserts(async (service, groups) => {
    const lifetimes = Array.from({ length: LIFETIMES_MAX }, (_, n) => 100 + n)
    const agents: AgentOfTest[] = []
    for (const lifetimeSeconds of lifetimes) agents.push(await service.createAgent({ lifetimeSeconds }))
    for (const agent of agents) await issue(service, agent)
    // An agent without a lifetime of its own has the service's, which is none of the sixteen.
    const [beyond, neighbour = beyond] = [await service.createAgent(), agents[0]]
    groups.length = 0
    const [refused = '', granted = ''] = await askTogether(service, beyond, neighbour)
    assert.deepEqual(groups, [2])
    assert.match(refused, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
    assert.match(refused, /\r\nretry-after: 1\r\n/i)
    assert.match(refused, /\r\npragma: no-cache\r\n/i)
    assert.match(refused, /"error":"temporarily_unavailable"/)
    assert.match(granted, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(granted, /"expires_in":100\b/)
  }))

type Cost = { hashes: number; comparisons: number; lookups: string[] }

/** Ports that count what recognizing a client costs. */
const counting =
  (cost: Cost) =>
  ({ secrets, agents, ...ports }: Ports): Ports => ({
    ...ports,
    secrets: {
      ...secrets,
      hash: text => {
        cost.hashes += 1
        return secrets.hash(text)
      },
      areEqual: (a, b) => {
        cost.comparisons += 1
        return secrets.areEqual(a, b)
      },
    },
    agents: {
      ...agents,
      viewForIssue: (clientIds, freshness) => {
        cost.lookups.push(`${clientIds.length} ${freshness}`)
        return agents.viewForIssue(clientIds, freshness)
      },
    },
  })

test('an unknown client, a wrong secret and a disabled agent cost the same: hashes, comparisons and look-ups', async () => {
  const cost: Cost = { hashes: 0, comparisons: 0, lookups: [] }
  const service = await startServer({ break: counting(cost) })
  const costOf = async (agent: AgentOfTest): Promise<Cost> => {
    Object.assign(cost, { hashes: 0, comparisons: 0, lookups: [] })
    assert.equal((await askToken(service, agent)).status, 401)
    return { ...cost }
  }
  try {
    const [agent, disabled] = [await service.createAgent(), await service.createAgent()]
    await service.disableAgent(disabled.agentId)
    const unknown = await costOf({ ...agent, clientId: 'nobody' })
    assert.ok(unknown.hashes >= 1 && unknown.comparisons >= 1 && unknown.lookups.length >= 1, JSON.stringify(unknown))
    assert.deepEqual(await costOf({ ...agent, clientSecret: 'wrong' }), unknown)
    assert.deepEqual(await costOf(disabled), unknown)
    assert.deepEqual(await costOf({ ...disabled, clientSecret: 'wrong' }), unknown)
  } finally {
    await service.close()
  }
})
