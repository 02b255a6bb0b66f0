// Client ids of agents at trusted issuers in the store: of each there is one agent, and they go with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, changeIn, makeAgentWorld, openElsewhere } from '../../../../testkit/stores/agent-world.ts'
import { newAgent, newIssuer } from '../../../../testkit/stores/new-things.ts'
import { act, createAgent } from '../../../../testkit/stores/store.ts'
import { countRows, readRows } from '../../../../testkit/stores/store-file.ts'

const makeWorld = async (...given: Parameters<typeof makeAgentWorld>) => {
  const world = await makeAgentWorld(...given)
  for (const alias of ['acme', 'globex']) {
    await world.store.issuers.create({ ...newIssuer(), alias }, act('issuer.create'))
  }
  const rows = () =>
    readRows(
      world.file,
      `select i.alias, c.client, a.id from issuer_client c join trusted_issuer i on i.n = c.issuer
        join agent a on a.n = c.agent order by i.alias, c.client`,
    )
  return { ...world, rows }
}

const codeOf = (answer: object | string): unknown =>
  typeof answer === 'object' && 'refusal' in answer ? (answer.refusal as { code: string }).code : 'done'

test('of 50 agents that two processes create as one client of an issuer at once one is created', async t => {
  const world = await makeWorld(t)
  const stores = [world.store, await openElsewhere(t, world)]
  const before = countRows(world.file, 'agent')
  const creating = Array.from({ length: 50 }, (_, n) =>
    (stores[n % 2] ?? world.store).agents.create(
      { ...newAgent(), issuerClients: { acme: 'app', globex: `app ${n}` } },
      act('agent.create'),
    ),
  )
  const codes = (await Promise.all(creating)).map(codeOf)
  assert.deepEqual(
    ['already_exists', 'done'].map(one => codes.filter(code => code === one).length),
    [49, 1],
  )
  assert.deepEqual([countRows(world.file, 'agent'), world.rows().length], [before + 1, 2])
})

test('of 50 agents that are changed to one client of an issuer at once one is', async t => {
  const world = await makeWorld(t)
  const stores = [world.store, await openElsewhere(t, world)]
  const agents = await Promise.all(Array.from({ length: 50 }, () => createAgent(world.store)))
  const changing = agents.map((agent, n) =>
    changeIn(stores[n % 2] ?? world.store, agent, { issuerClients: { acme: 'app' } }),
  )
  const codes = (await Promise.all(changing)).map(codeOf)
  assert.deepEqual([codes.filter(code => code === 'done').length, world.rows().length], [1, 1])
})

test('the rows are what the record says, whatever else changes, and go when the agent does', async t => {
  const world = await makeWorld(t)
  const { store, agent } = world
  const { id } = agent
  await changed(world, { issuerClients: { acme: 'a', globex: 'a' } })
  assert.deepEqual(world.rows(), [
    { alias: 'acme', client: 'a', id },
    { alias: 'globex', client: 'a', id },
  ])
  await changed(world, { issuerClients: { globex: 'b' }, owner: 'data' })
  assert.deepEqual(world.rows(), [{ alias: 'globex', client: 'b', id }])
  await store.issuers.delete('globex', act('issuer.delete'))
  await changed(world, { owner: null, issuerClients: { acme: 'c', globex: 'b' } })
  assert.deepEqual(world.rows(), [
    { alias: 'acme', client: 'c', id },
    { alias: 'globex', client: 'b', id },
  ])
  await store.agents.delete(id, act('agent.delete'))
  assert.deepEqual(world.rows(), [])
})
