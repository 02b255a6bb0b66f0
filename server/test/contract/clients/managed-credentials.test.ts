// Credentials that files declare: of which agent they are, how many, and what nobody but a person gives back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREDENTIALS_MAX } from '../../../src/domain/clients/credential.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { agentNamed, managedApi, SET } from '../../../../testkit/callers/managed-api.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { execBeside, readRows } from '../../../../testkit/stores/store-file.ts'

const service = useService()
let api: AgentsApi
const { plan, planAll, apply, make, actionOf, refusalOf } = managedApi(service)

service.before(async () => {
  api = await makeAgentsApi(service)
})

const workload = (agent: string, subject: string, name = 'ci'): Body => ({
  kind: 'credential',
  agent,
  name,
  workload_identity: { issuer: 'https://ci.example', subject, jwks_uri: 'https://ci.example/keys' },
})

test('a credential is made for the agent of its plan, not for one of the same name made since', async () => {
  const { agentId } = await api.create({ name: 'made anew' })
  const record = workload('made anew', 'repo:made-anew')
  const planned = await plan(record)
  await api.act('DELETE', `/${agentId}`)
  await api.create({ name: 'made anew' })
  const { status, json } = await apply(record, planned)
  assert.deepEqual([status, (json as Body)['error']], [409, 'plan_outdated'])
})

test('a plan counts what it makes before: no agent gets more credentials than it may have', async () => {
  const many = Array.from({ length: CREDENTIALS_MAX + 1 }, (_, n) => workload('crowded', `repo:${n}`, `ci ${n}`))
  const plans = await planAll([agentNamed('crowded'), ...many])
  const refused = plans.filter(({ refusal }) => refusal !== null)
  assert.deepEqual(
    refused.map(({ name }) => name),
    [`ci ${CREDENTIALS_MAX}`],
  )
})

test('an agent of another set gets no credential, unless it is adopted; one that no set manages does', async () => {
  await make(agentNamed('of the set'))
  const record = workload('of the set', 'repo:other')
  assert.equal(await refusalOf(record, { set: 'other' }), 'already_exists')
  assert.equal(await actionOf(record, { set: 'other', adopt: true }), 'create')
  await api.create({ name: 'of nobody' })
  assert.equal(await actionOf(workload('of nobody', 'repo:nobody'), { set: 'other' }), 'create')
})

test('who adopts a credential is in the audit, with its agent', async () => {
  const { agentId } = await api.create({ name: 'adopted from' })
  const { name, workload_identity } = workload('adopted from', 'repo:adopted')
  const { json } = await api.act('POST', `/${agentId}/credentials`, { name, workload_identity })
  await make(workload('adopted from', 'repo:adopted'), { adopt: true })
  const rows = readRows(
    service.storeFile,
    'select detail from audit where subject = ? order by n desc limit 1',
    (json as Body)['credential_id'],
  )
  assert.deepEqual(JSON.parse(String(rows[0]?.['detail'])), {
    agent_id: agentId,
    before: { managed_by: null },
    after: { managed_by: `apply/${SET}` },
  })
})

test('what a restore suspended stays so: changed, under another name, and removed by its own set', async () => {
  await make(agentNamed('restored'))
  const key = workload('restored', 'repo:restored')
  const { id } = await make(key)
  await execBeside(service.storeFile, `update credential set suspended_at = 1 where id = '${String(id)}'`)
  const later = { ...key, expires_at: '2099-01-01T00:00:00.000Z' }
  for (const record of [later, workload('restored', 'repo:another'), { ...key, name: 'by another name' }]) {
    const { action, remark } = await plan(record)
    assert.deepEqual([action, remark], ['none', 'suspended'])
  }
  await make({ kind: 'removal', of: 'credential', id })
  assert.deepEqual([await actionOf(key), (await plan(key))['remark']], ['none', 'revoked'])
})

test('what a person revoked is not trusted again by another spelling, or as a part of something else', async () => {
  await make(agentNamed('respelled'))
  const key = workload('respelled', 'repo:acme/site:main')
  const { id } = await make(key)
  const { id: agentId } = await plan(agentNamed('respelled'))
  await api.act('POST', `/${String(agentId)}/credentials/${String(id)}/revoke`, {})
  const identity = key['workload_identity'] as Body
  for (const spelled of [{ audience: 'https://a.example' }, { subject: 'repo:acme/*' }, { jwks_uri: null }]) {
    const { action, remark } = await plan({ ...key, workload_identity: { ...identity, ...spelled } })
    assert.deepEqual([action, remark], ['none', 'revoked'], JSON.stringify(spelled))
  }
  assert.equal(await actionOf(workload('respelled', 'repo:other/site:main')), 'create')
})

test('a credential that has expired makes no room for its replacement', async () => {
  await make(agentNamed('full'))
  const records = Array.from({ length: CREDENTIALS_MAX }, (_, n) => workload('full', `repo:full:${n}`, `ci ${n}`))
  for (const record of records) await make(record)
  const [first = {}] = records
  await execBeside(service.storeFile, `update credential set expires_at = created_at where name = 'ci 0'`)
  await make(workload('full', 'repo:full:last', 'last'))
  assert.equal(await refusalOf({ ...first, expires_at: '2099-01-01T00:00:00.000Z' }), 'invalid_request')
})
