// GET /api/v1/agents/{id}/delegation: who may act for an agent, and for whom it may act, by which entry.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { assertProblem, get } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const NOBODY = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
const RECEIVES = ['https://a.example']

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

type Peer = {
  readonly agent_id: string
  readonly name: string
  readonly by: string
  readonly disabled_at: string | null
}

const delegationOf = async (agentId: string): Promise<Body & { subjects: Peer[]; actors: Peer[] }> => {
  const { status, json } = await get(service, `/api/v1/agents/${agentId}/delegation`, api.reader)
  assert.equal(status, 200)
  return json as Body & { subjects: Peer[]; actors: Peer[] }
}

const pairsOf = (peers: readonly Peer[]) => peers.map(({ agent_id, by }) => [agent_id, by])

test('an agent is named with the entry that allows it: its id before a label, and a label before *', async () => {
  const subject = await api.create({ labels: { team: 'data' } })
  const other = await api.create({})
  const relay = { grant_types: [EXCHANGE], receives: RECEIVES }
  const byId = await api.create({ ...relay, acts_for: ['*', 'label:team=data', subject.agentId] })
  const byLabel = await api.create({ ...relay, acts_for: ['label:team=data', '*'] })
  const byAny = await api.create({ ...relay, acts_for: ['*'] })
  const asked = await delegationOf(subject.agentId)
  const wanted = new Map([
    [byId.agentId, subject.agentId],
    [byLabel.agentId, 'label:team=data'],
    [byAny.agentId, '*'],
  ])
  assert.deepEqual(new Map(pairsOf(asked.actors) as [string, string][]), wanted)
  assert.deepEqual([asked.subjects, asked['subjects_more'], asked['actors_more']], [[], false, false])
  const subjects = new Map(pairsOf((await delegationOf(byLabel.agentId)).subjects) as [string, string][])
  assert.deepEqual([subjects.get(subject.agentId), subjects.get(other.agentId)], ['label:team=data', '*'])
})

test('who lacks the grant, or receives nothing, acts for nobody; a disabled agent is named as such', async () => {
  const subject = await api.create({})
  const acts = { acts_for: [subject.agentId] }
  await api.create({ ...acts, receives: RECEIVES })
  await api.create({ ...acts, grant_types: [EXCHANGE] })
  const disabled = await api.create({ ...acts, grant_types: [EXCHANGE], receives: RECEIVES })
  await service.disableAgent(disabled.agentId)
  const actors = (await delegationOf(subject.agentId)).actors.filter(({ by }) => by === subject.agentId)
  assert.deepEqual(
    actors.map(({ agent_id, disabled_at }) => [agent_id, disabled_at !== null]),
    [[disabled.agentId, true]],
  )
})

test('an agent that is not there is 404', async () => {
  const answer = await get(service, `/api/v1/agents/${NOBODY}/delegation`, api.reader)
  assertProblem(answer, 404, 'not_found', `No agent has the id ${NOBODY}.`)
})
