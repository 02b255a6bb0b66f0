// Plans of declared records beside what happens meanwhile: another run of the same files, and tokens that are issued.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodOf, type Operation, pathOf } from '../../../../api/operation.ts'
import { planAll } from '../../../src/cli/apply/plan.ts'
import type { Api } from '../../../src/cli/remote/api.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { agentNamed, managedApi } from '../../../../testkit/callers/managed-api.ts'
import { postForm } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
let api: AgentsApi
const { plan, apply, make, refusalOf } = managedApi(service)

service.before(async () => {
  api = await makeAgentsApi(service)
})

test('what another run of the same files makes meanwhile is not deleted as what no file has', async () => {
  const terms = { set: 'twice', adopt: false }
  const record = agentNamed('made twice')
  let calls = 0
  const own: Pick<Api, 'call'> = {
    call: async (row: Operation, { query = {}, body }: { query?: object; body?: unknown }) => {
      const asked = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
      )
      const path = `${pathOf(row)}?${asked.toString()}`
      const { json } = await call(service, { method: methodOf(row), path, body }, await admin(service))
      calls += 1
      if (row.id === 'planRecords') await make(record, terms)
      return json as Body
    },
  }
  const { planned } = await planAll(own as Api, [{ place: 'a:1', record }], terms, true)
  assert.deepEqual([planned.map(({ answer }) => answer['action']), calls > 1], [['create'], true])
})

test('tokens that are issued since a plan take no room of more than it ends', async () => {
  const { agentId, clientSecret } = await api.create({ name: 'at its ceiling' })
  const issue = async (): Promise<void> => {
    const form = { grant_type: 'client_credentials', client_id: agentId, client_secret: clientSecret, scope: 'db:read' }
    assert.equal((await postForm(service, '/oauth/token', form)).status, 200)
    service.clock.advance(10)
  }
  for (let n = 0; n < 3; n += 1) await issue()
  const terms = { adopt: true }
  await make(agentNamed('at its ceiling'), terms)
  const record = agentNamed('at its ceiling', { live_tokens_max: 2, at_live_tokens_max: 'supersede' })
  const planned = await plan(record)
  assert.equal((planned['ends'] as Body)['tokens'], 1)
  service.clock.advance(1)
  await issue()
  assert.equal((await apply(record, planned)).status, 409)
  assert.equal((await apply(record, planned, { max_extra: 1 })).status, 200)
})

test('a record that is planned can be applied, however long it is', async () => {
  const resources = Array.from({ length: 64 }, (_, n) => `https://api.example/${'x'.repeat(300)}/${n}`)
  await make(agentNamed('long', { resources }))
  assert.equal(await refusalOf(agentNamed('long', { resources })), undefined)
})
