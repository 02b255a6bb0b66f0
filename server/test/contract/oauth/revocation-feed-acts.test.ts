// Every act that ends tokens, as a follower of the revocation feed sees it over HTTP: what introspection finds inactive it refuses,
// and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { claimsOf, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import type { Members, SentStep, Verdict } from '../../../../testkit/feed/case.ts'
import { CLIENT_ID, presentJwt, subjectJwt, trust } from '../../../../testkit/callers/subject-jwts.ts'
import { readDocument, type SnapshotPayload } from '../../../../testkit/feed/feed-client.ts'
import { type Follower, takeStep } from '../../../../testkit/feed/reference-follow.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'

const service = useService()
let headers: Headers
let key: string

service.before(async () => {
  headers = await admin(service)
  ;({ key } = await service.createApiKey('tokens:introspect'))
})

/** A follower over HTTP, which goes on from where it was. */
const makeFollower = () => {
  let held: Follower

  const take = (step: SentStep['step'], payload: Members): void => {
    held = takeStep(held, { step, payload, position: null }).held
  }

  const begin = async (): Promise<void> => {
    const snapshot = await readDocument<SnapshotPayload>(service, key, '/snapshot')
    take('snapshot', snapshot)
    for (const [from, to] of snapshot.segments) {
      take('segment', await readDocument(service, key, `/segments/${snapshot.epoch}/${from}-${to}`))
    }
  }

  return {
    catchUp: async (): Promise<void> => {
      if (held === undefined) await begin()
      const { epoch, position } = held ?? {}
      take('changes', await readDocument(service, key, `/changes?epoch=${epoch}&position=${position}`))
    },
    judge: (token: string): Verdict => {
      const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Members
      const step = { step: 'token', header, claims: claimsOf(token), verdict: 'live' } as const
      return takeStep(held, step).verdict ?? 'ask'
    },
  }
}

const going = makeFollower()

const administer = async (method: string, path: string, body?: unknown): Promise<Members> => {
  const answer = await call(service, { method, path: `/api/v1/${path}`, body }, headers)
  assert.ok(answer.status < 300, answer.text)
  return answer.status === 204 ? {} : (answer.json as Members)
}

const recordOf = (token: string): Promise<Members> => administer('GET', `tokens/${String(claimsOf(token)['jti'])}`)

type World = {
  readonly agent: AgentOfTest
  readonly actor: AgentOfTest
  /** Of the issuer for whose subjects it acts: one of all, and another. */
  readonly alias: string
  readonly owner: string
  readonly root: string
  readonly child: string
  readonly tokens: readonly string[]
}

/** The default audience by another spelling, which tokens carry where their agent may ask for any. */
const SPELLED = 'HTTPS://API.example:443'

let worlds = 0

/** Tokens of an agent with several scopes, of one that exchanges them, once and again, and of one beside. */
const makeWorld = async (): Promise<World> => {
  const owner = `owner ${(worlds += 1)}`
  const scope = 'db:read db:write'
  const agent = await service.createAgent({ scope, owner, labels: { world: String(worlds) } })
  const alias = await trust(service, service.provider, { alias: `world-${worlds}`, require: { world: String(worlds) } })
  const actsFor = ['*', `issuer:${alias}:alice`, `issuer:${alias}:bob`]
  const exchanges = { grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] as const, receives: [AUDIENCE] }
  const actor = await service.createAgent({ scope, actsFor, issuerClients: { [alias]: CLIENT_ID }, ...exchanges })
  const issuerClients = { [alias]: 'beside-app' }
  const beside = await service.createAgent({ scope, actsFor: ['*', `issuer:${alias}`], issuerClients, ...exchanges })
  const tokenFor = async (sub: string, by = actor): Promise<string> => {
    const claims = { sub, world: String(worlds), ...(by === beside && { aud: 'beside-app' }) }
    const jwt = await subjectJwt(service, service.provider, 'id_token', { claims })
    const answer = await presentJwt(service, by, jwt, { as: 'id_token', scope: 'db:read' })
    return (answer.json as { access_token: string }).access_token
  }
  const alice = await tokenFor('alice')
  const root = await issue(service, agent, { scope: 'db:read' })
  const child = await exchange(service, actor, root)
  const others = [
    await issue(service, agent, { scope: 'db:write', resource: SPELLED }),
    await issue(service, agent, { scope: 'db:read', resource: 'https://other.example' }),
    await exchange(service, actor, child),
    await issue(service, actor),
    await issue(service, beside, { scope: 'db:read' }),
    await issue(service, beside, { scope: 'db:write' }),
    alice,
    await tokenFor('bob'),
    await tokenFor('alice', beside),
    await exchange(service, beside, alice),
  ]
  return { agent, actor, alias, owner, root, child, tokens: [root, child, ...others] }
}

const revokeMany = (conditions: Members): Promise<unknown> => administer('POST', 'revocations', conditions)

const ACTS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'a revoked token': ({ root }) => revoke(service, root),
  'a revoked exchanged token': ({ child }) => revoke(service, child),
  'a token revoked by its id': ({ root }) =>
    administer('POST', `tokens/${String(claimsOf(root)['jti'])}/revoke`, { reason: 'manual_revocation' }),
  'a disabled agent': ({ agent }) => administer('POST', `agents/${agent.agentId}/disable`, {}),
  'a deleted agent': ({ agent }) => administer('DELETE', `agents/${agent.agentId}`),
  'a narrowed scope': ({ agent }) =>
    administer('PATCH', `agents/${agent.agentId}`, { scope: 'db:write', default_scope: null }),
  'an actor that may act for one subject of an issuer less': ({ actor, alias }) =>
    administer('PATCH', `agents/${actor.agentId}`, { acts_for: ['*', `issuer:${alias}:bob`] }),
  'an actor that is another client of the issuer': ({ actor, alias }) =>
    administer('PATCH', `agents/${actor.agentId}`, { issuer_clients: { [alias]: 'another' } }),
  'a disabled issuer': ({ alias }) => administer('POST', `issuers/${alias}/disable`, {}),
  'a deleted issuer': ({ alias }) => administer('DELETE', `issuers/${alias}`),
  'a blocked subject': ({ alias }) => administer('POST', `issuers/${alias}/subjects/block`, { sub: 'alice' }),
  'a revocation by subject': ({ alias }) => revokeMany({ subject: `${alias}:alice` }),
  'a revocation by issuer': ({ alias }) => revokeMany({ issuer: alias }),
  'a revocation by subject and agent': ({ alias, actor }) =>
    revokeMany({ subject: `${alias}:alice`, agent_id: actor.agentId }),
  'an actor that may act for nobody': ({ actor }) => administer('PATCH', `agents/${actor.agentId}`, { acts_for: [] }),
  'a revoked credential': async ({ agent, root }) =>
    administer(
      'POST',
      `agents/${agent.agentId}/credentials/${String((await recordOf(root))['credential_id'])}/revoke`,
      {},
    ),
  'a revocation by agent': ({ agent }) => revokeMany({ agent_id: agent.agentId }),
  'a revocation by scope': () => revokeMany({ scope: 'db:write' }),
  'a revocation by agent and scope': ({ agent }) => revokeMany({ agent_id: agent.agentId, scope: 'db:*' }),
  'a revocation by audience': () => revokeMany({ audience: AUDIENCE }),
  'a revocation by another spelling of an audience': () => revokeMany({ audience: `${AUDIENCE}/` }),
  'narrowed resources': ({ agent }) => administer('PATCH', `agents/${agent.agentId}`, { resources: [`${AUDIENCE}/`] }),
  'a revocation by owner': ({ owner }) => revokeMany({ owner }),
  'a revocation by label': () => revokeMany({ labels: { world: String(worlds) }, disable_agents: true }),
  'a revocation of a lineage': ({ child }) => revokeMany({ lineage: claimsOf(child)['jti'] }),
  'a revocation by time of issue': () => {
    service.clock.advance(1000)
    return revokeMany({ issued_before: new Date(service.clock.wall()).toISOString() })
  },
  'a compromised signing key': async ({ root }) =>
    administer('POST', `keys/${String((await recordOf(root))['kid'])}/compromise`, {}),
  'the end of every token': () => revokeMany({ all: true }),
}

const isActive = async (token: string): Promise<boolean> =>
  (await introspect(service, key, token)).text.startsWith('{"active":true')

const isDelegated = (token: string): boolean => 'lineage' in claimsOf(token)

for (const [name, act] of Object.entries(ACTS)) {
  test(`${name}: a follower refuses what has ended, and nothing else`, async () => {
    const world = await makeWorld()
    await act(world)
    const beginning = makeFollower()
    for (const follower of [going, beginning]) await follower.catchUp()
    let ended = 0
    for (const token of world.tokens) {
      const right = (await isActive(token)) ? 'live' : 'ended'
      if (right === 'ended') ended += 1
      for (const follower of [going, beginning]) {
        const verdict = follower.judge(token)
        assert.ok(verdict === right || (verdict === 'ask' && isDelegated(token)), `${verdict} in the place of ${right}`)
      }
    }
    assert.ok(ended > 0)
  })
}
