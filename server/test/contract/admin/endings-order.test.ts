// Every ordering of two endings of one token, over HTTP: it is inactive, stands in history once, and the first is its reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '../../../../api/values/access.ts'
import { type AgentsApi, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { claimsOf, get, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const LIFETIME_SECONDS = 60

type World = { readonly agent: AgentOfTest; readonly token: string; readonly id: string; readonly credentialId: string }

type Ending = { readonly reason: string; readonly end: (world: World) => Promise<unknown> }

const service = useService()
let api: AgentsApi
let keys: { readonly reader: string; readonly introspector: string }

service.before(async () => {
  api = await makeAgentsApi(service)
  const keyFor = async (permission: Permission) => (await service.createApiKey(permission)).key
  keys = { reader: await keyFor('tokens:read'), introspector: await keyFor('tokens:introspect') }
})

const post = async (path: string, body: object) =>
  call(service, { method: 'POST', path: `/api/v1${path}`, body }, await admin(service))

const narrowed = { default_scope: null, scope: 'other:read' }

const ENDINGS: Readonly<Record<string, Ending>> = {
  'it is revoked': { reason: 'manual_revocation', end: ({ token }) => revoke(service, token) },
  'it is revoked by its id': {
    reason: 'secret_leaked',
    end: ({ id }) => post(`/tokens/${id}/revoke`, { reason: 'secret_leaked' }),
  },
  'its agent is disabled': {
    reason: 'agent_disabled',
    end: ({ agent }) => post(`/agents/${agent.agentId}/disable`, {}),
  },
  'its agent is deleted': { reason: 'agent_deleted', end: ({ agent }) => api.act('DELETE', `/${agent.agentId}`) },
  'its agent is narrowed': {
    reason: 'scope_removed',
    end: ({ agent }) => api.act('PATCH', `/${agent.agentId}`, narrowed),
  },
  'its agent gets an end': {
    reason: 'agent_expired',
    end: ({ agent }) =>
      api.act('PATCH', `/${agent.agentId}`, { expires_at: new Date(service.clock.wall() + 1000).toISOString() }),
  },
  'its credential is revoked': {
    reason: 'credential_revoked',
    end: ({ agent, credentialId }) => post(`/agents/${agent.agentId}/credentials/${credentialId}/revoke`, {}),
  },
  'a cut-off covers it': {
    reason: 'bulk_revocation',
    end: ({ agent }) => post('/revocations', { agent_id: agent.agentId, scope: 'db:read' }),
  },
  'it expires': {
    reason: 'expired',
    end: async ({ token }) =>
      service.clock.advance(Math.max(0, 1000 * Number(claimsOf(token)['exp']) - service.clock.wall())),
  },
}

const read = async (path: string) => (await get(service, path, { 'x-api-key': keys.reader })).json

type Page = { readonly data: readonly { readonly termination_reason?: string; readonly ended_at?: string }[] }

const makeWorld = async (): Promise<World> => {
  const agent = await api.create({ default_scope: 'db:read', lifetime_seconds: LIFETIME_SECONDS })
  const token = await issue(service, agent)
  const id = String(claimsOf(token)['jti'])
  const { credential_id: credentialId } = (await read(`/api/v1/tokens/${id}`)) as { readonly credential_id: string }
  return { agent, token, id, credentialId }
}

/** What every way of asking says of it. */
const seen = async ({ agent, token, id }: World) => {
  const live = (await read(`/api/v1/tokens?agent_id=${agent.agentId}`)) as Page
  const ended = (await read(`/api/v1/tokens/history?agent_id=${agent.agentId}`)) as Page
  const life = (await read(`/api/v1/tokens/${id}`)) as Readonly<Record<string, unknown>>
  return {
    answer: (await introspect(service, keys.introspector, token)).json,
    listed: live.data.length,
    records: ended.data.map(({ termination_reason, ended_at }) => ({ termination_reason, ended_at })),
    shown: { state: life['state'], termination_reason: life['termination_reason'], ended_at: life['ended_at'] },
  }
}

for (const [first, { reason, end }] of Object.entries(ENDINGS)) {
  for (const [second, again] of Object.entries(ENDINGS)) {
    test(`first ${first}, then ${second}: it is inactive, with one record, for the first reason`, async () => {
      const world = await makeWorld()
      await end(world)
      const once = await seen(world)
      const [record] = once.records
      assert.equal(record?.termination_reason, reason)
      assert.deepEqual(once, {
        answer: { active: false },
        listed: 0,
        records: [record],
        shown: { state: 'ended', ...record },
      })
      service.clock.advance(10)
      await again.end(world)
      assert.deepEqual(await seen(world), once, 'after the second')
      service.clock.advance(2000 * LIFETIME_SECONDS)
      assert.deepEqual(await seen(world), once, 'after its expiry')
    })
  }
}
