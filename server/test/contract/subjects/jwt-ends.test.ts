// What an agent has for the subjects of issuers ends with what is taken from it: no more of others, at any depth, as a dry run counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { type AgentsApi, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { CLIENT_ID, PARTY, presentJwt, subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'

const ORDERS = 'https://orders.example'

const service = useService()
const introspector = service.apiKey('tokens:introspect')
const caller = service.agent()
const relay = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
let api: AgentsApi
let providers: Readonly<Record<'one' | 'two', IdentityProvider>>
let clients = 0

service.before(async () => {
  api = await makeAgentsApi(service)
  const [one, two] = [
    await startIdentityProvider({ now: service.clock.wall }),
    await startIdentityProvider({ now: service.clock.wall }),
  ]
  providers = { one, two }
  for (const [alias, provider] of Object.entries(providers)) await trust(service, provider, { alias })
})

test.after(() => Promise.all(Object.values(providers).map(provider => provider.close())))

const SETTINGS = {
  grant_types: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
  acts_for: ['issuer:one', 'issuer:two:alice', 'issuer:two:bob', '*'],
  receives: [ORDERS, AUDIENCE],
}

type World = { readonly agent: AgentOfTest; readonly tokens: ReadonlyMap<string, string> }

const obtain = async (agent: AgentOfTest, clientId: string, name: string): Promise<string> => {
  const [alias, sub] = name.split(':') as ['one' | 'two', string]
  const jwt = await subjectJwt(service, providers[alias], 'id_token', { claims: { sub, aud: clientId, azp: PARTY } })
  const { status, json, text } = await presentJwt(service, agent, jwt, { as: 'id_token', scope: 'db:read' })
  assert.equal(status, 200, text)
  return (json as { access_token: string }).access_token
}

/** An agent with all that it can have: its own token, one for another agent, and some for subjects, one of them passed on. */
const makeWorld = async (): Promise<World> => {
  clients += 1
  const clientId = `${CLIENT_ID}-${clients}`
  const agent = await service.createAgent({
    grantTypes: SETTINGS.grant_types as [typeof CLIENT_CREDENTIALS, typeof TOKEN_EXCHANGE],
    actsFor: SETTINGS.acts_for,
    receives: SETTINGS.receives,
    issuerClients: { one: clientId, two: clientId },
  })
  const tokens = new Map<string, string>()
  for (const name of ['one:alice', 'one:bob', 'two:alice', 'two:bob'])
    tokens.set(name, await obtain(agent, clientId, name))
  tokens.set('own', await issue(service, agent))
  tokens.set('for another', await exchange(service, agent, await issue(service, caller)))
  tokens.set('passed on', await exchange(service, relay, tokens.get('two:alice') ?? ''))
  return { agent, tokens }
}

const deadOf = async ({ tokens }: World): Promise<readonly string[]> => {
  const dead: string[] = []
  for (const [name, token] of tokens) {
    const { json } = await introspect(service, introspector.key, token)
    if (!(json as { active: boolean }).active) dead.push(name)
  }
  return dead
}

const actsFor = (...entries: readonly string[]) => ({ acts_for: entries })

const OF_ONE = ['one:alice', 'one:bob']
const OF_TWO = ['two:alice', 'two:bob']
const ALL = [...OF_ONE, ...OF_TWO]

/** Of each change the tokens that end. `two:alice` has a descendant. */
const CHANGES: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
  ['an issuer', actsFor('issuer:two:alice', 'issuer:two:bob', '*'), OF_ONE],
  ['one subject', actsFor('issuer:one', 'issuer:two:bob', '*'), ['two:alice', 'passed on']],
  ['the rest, with one subject for all of its issuer', actsFor('issuer:one', 'issuer:two', '*'), []],
  ['all agents', actsFor('issuer:one', 'issuer:two:alice', 'issuer:two:bob'), ['for another']],
  ['a client id', { issuer_clients: { one: 'other' } }, [...ALL, 'passed on']],
  ['an audience, by its spelling', { receives: [`${ORDERS}/`, AUDIENCE] }, [...ALL, 'passed on']],
  ['the grant', { grant_types: [CLIENT_CREDENTIALS] }, [...ALL, 'for another', 'passed on']],
  ['nothing', { ...SETTINGS, description: 'changed' }, []],
]

for (const [what, change, expected] of CHANGES) {
  test(`an agent that loses ${what} loses ${expected.join(', ') || 'no token'}`, async () => {
    const world = await makeWorld()
    const { agentId } = world.agent
    const counted = await api.patch(agentId, { ...change, dry_run: true })
    assert.deepEqual(await deadOf(world), [])
    await api.patch(agentId, change)
    assert.deepEqual(await deadOf(world), expected)
    const { ends } = counted as unknown as { readonly ends: { readonly tokens: number; readonly descendants: number } }
    const passedOn = expected.includes('passed on') ? 1 : 0
    assert.deepEqual([ends.tokens, ends.descendants], [expected.length - passedOn, passedOn])
  })
}

test('64 subjects that are removed at once are one cut-off, and what nothing was got for takes none', async () => {
  const entries = Array.from({ length: 64 }, (_, n) => `issuer:two:subject-${n}`)
  clients += 1
  const clientId = `${CLIENT_ID}-${clients}`
  const agent = await service.createAgent({
    grantTypes: [TOKEN_EXCHANGE],
    actsFor: entries,
    issuerClients: { two: clientId },
  })
  for (const entry of entries.slice(0, 40)) await obtain(agent, clientId, entry.slice('issuer:'.length))
  const count = () => readRows(service.storeFile, 'select count(*) as n from cutoff')[0]?.['n']
  const before = Number(count())
  await api.patch(agent.agentId, { acts_for: [] })
  assert.equal(count(), before + 1)
})
