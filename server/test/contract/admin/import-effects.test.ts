// mintmark import: what it does beside its answer, and what it does when it is repeated.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { admin } from '../../../../testkit/callers/administration.ts'
import { keycloakClient, realmExport } from '../../../../testkit/callers/foreign-exports.ts'
import { type Imports, importsInto, NOTHING, reasons } from '../../../../testkit/callers/imports.ts'
import { askToken, send } from '../../../../testkit/callers/requests.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const SECRET = 'uWk2mPq8ZtYvB4nXcR7sJdF9hLgA3eTo'

const service = useService()
let imports: Imports

service.before(async () => {
  imports = importsInto(service)
})
afterEach(() => assert.ok(!service.log().includes(SECRET)))

test('a name that is taken gives way to the client id, and a disabled client is a disabled agent', async () => {
  const [first, second, third] = await imports.fromKeycloak(
    keycloakClient('name-1', { name: 'The same name' }),
    keycloakClient('name-2', { name: 'The same name', enabled: false }),
    keycloakClient('name-3', { name: 'name-2' }),
  )
  assert.deepEqual([first?.['name'], second?.['name'], third?.['name']], ['The same name', 'name-2', 'name-3'])
  assert.deepEqual([first?.['disabled'], second?.['disabled']], [false, true])
  const agent = { agentId: second?.agent_id ?? '', clientId: 'name-2', clientSecret: SECRET }
  assert.equal((await askToken(service, agent)).status, 401)
  await service.enableAgent(agent.agentId)
  assert.equal((await askToken(service, agent)).status, 200)
})

test('sent again everything exists and nothing changes; a deleted agent keeps its client id', async () => {
  const clients = [keycloakClient('again-1'), keycloakClient('again-2', { secret: null })]
  const first = await imports.fromKeycloak(...clients)
  const entries = countRows(service.storeFile, 'audit')
  const second = await imports.fromKeycloak(...clients, keycloakClient('again-1', { secret: `${SECRET}2` }))
  assert.deepEqual(second.slice(0, 2), [
    { ...NOTHING, client_id: 'again-1', outcome: 'exists' },
    { ...NOTHING, client_id: 'again-2', outcome: 'exists' },
  ])
  assert.equal(countRows(service.storeFile, 'audit'), entries)
  const agent = { agentId: '', clientId: 'again-1', clientSecret: `${SECRET}2` }
  assert.equal((await askToken(service, agent)).status, 401)
  const path = `/api/v1/agents/${first[0]?.agent_id}`
  assert.equal((await send(service, { method: 'DELETE', path, headers: await admin(service) })).status, 204)
  assert.deepEqual(reasons(await imports.fromKeycloak(...clients.slice(0, 1))), { 'again-1': 'client_id_retired' })
})

test('a dry run answers what an import then does, and does nothing', async () => {
  const document = realmExport(
    keycloakClient('dry-1', { name: 'Dry', secret: null }),
    keycloakClient('dry-2', { name: 'Dry', enabled: false }),
    keycloakClient('dry-3', { publicClient: true }),
  )
  const rows = () => ['agent', 'credential', 'audit'].map(table => countRows(service.storeFile, table))
  const unchanged = rows()
  const tried = await imports.importing({ source: 'keycloak', document, isTrial: true })
  assert.deepEqual(rows(), unchanged)
  assert.ok(tried.every(one => one['agent_id'] === null && one['client_secret'] === null))
  const done = await imports.importing({ source: 'keycloak', document })
  assert.deepEqual(
    done.map(one => ({ ...one, agent_id: null, client_secret: null })),
    tried,
  )
  assert.match(done[0]?.client_secret ?? '', /^mmc_/)
})

test('each agent is in the audit as imported, by whom, and without its secret', async () => {
  const [one] = await imports.fromKeycloak(keycloakClient('audited'))
  const entries = readRows(
    service.storeFile,
    `select kind, detail, actor from audit where subject = ? order by n`,
    one?.agent_id,
  )
  assert.equal(entries.length, 1)
  assert.equal(entries[0]?.['kind'], 'agent.import')
  const detail = JSON.parse(String(entries[0]['detail'])) as Record<string, unknown>
  assert.deepEqual([detail['secret'], (detail['after'] as Record<string, unknown>)['client_id']], ['kept', 'audited'])
  assert.ok(!String(entries[0]['detail']).includes(SECRET))
  assert.match(String(entries[0]['actor']), /"operator"/)
})
