// One bad member never fails its group: of requests that are served together only the culprit is refused or fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { type FormAnswer, type FormRequest, sendTogether } from '../../../../testkit/callers/together.ts'
import { basic, claimsOf, issue } from '../../../../testkit/callers/requests.ts'
import { isPostgresTested } from '../../../../testkit/stores/store.ts'
import { countRows, withFile } from '../../../../testkit/stores/store-file.ts'
import {
  type AgentOfTest,
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../../../../testkit/services/test-server.ts'

type World = { readonly service: TestServer; readonly honest: AgentOfTest; readonly culprit: AgentOfTest }

const start = async (t: TestContext, options: TestServerOptions = {}): Promise<World> => {
  const service = await startServer(options)
  t.after(service.close)
  return { service, honest: await service.createAgent(), culprit: await service.createAgent() }
}

/** `clientId` is sent as it is written. */
const tokenRequest = ({ clientSecret }: AgentOfTest, clientId: string): FormRequest => ({
  path: '/oauth/token',
  form: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
})

const requestOf = (agent: AgentOfTest): FormRequest => tokenRequest(agent, agent.clientId)

const statusesOf = (answers: readonly FormAnswer[]): readonly number[] => answers.map(({ status }) => status)

const memberOf = (answer: FormAnswer | undefined, name: string): unknown =>
  (answer?.json as Readonly<Record<string, unknown>> | undefined)?.[name]

const errorOf = (answer: FormAnswer | undefined): unknown => memberOf(answer, 'error')

const tokenIn = ({ json }: FormAnswer): string => (json as { access_token: string }).access_token

/** No client has such an id, and no store could hold it. */
const NO_IDS = ['%00a', 'a%00', '%00', '%EF%BF%BF', '%F0%9F%98%80', 'x'.repeat(5000), '%C3%A4']

test('a client id that no store could hold is that of an unknown client, in the form or by HTTP Basic', async t => {
  const { service, honest } = await start(t)
  for (const id of NO_IDS) {
    const byBasic = { path: '/oauth/token', form: 'grant_type=client_credentials', headers: basic(id, 'x') }
    const culprits = [tokenRequest(honest, id), byBasic]
    const answers = await sendTogether(service, [requestOf(honest), ...culprits, requestOf(honest)])
    assert.deepEqual(statusesOf(answers), [200, 401, 401, 200], id)
    assert.deepEqual(answers.slice(1, 3).map(errorOf), ['invalid_client', 'invalid_client'], id)
  }
})

test('one connection that sends such ids fails none of the requests of others', async t => {
  const { service, honest } = await start(t)
  const flood = Array.from({ length: 16 }, () => tokenRequest(honest, '%00a'))
  for (let round = 0; round < 20; round += 1) {
    const [bad, good] = await Promise.all([
      sendTogether(service, flood),
      sendTogether(
        service,
        Array.from({ length: 16 }, () => requestOf(honest)),
      ),
    ])
    assert.deepEqual([...new Set(statusesOf(bad))], [401])
    assert.deepEqual([...new Set(statusesOf(good))], [200])
  }
})

/** A look at the clients of a group fails where this one is among them, past every check of the edge. */
const failLookupAt =
  (isCulprit: (clientId: string) => boolean) =>
  ({ agents, ...ports }: Ports): Ports => ({
    ...ports,
    agents: {
      ...agents,
      viewForIssue: async (clientIds, freshness) => {
        if (clientIds.some(isCulprit)) throw new Error('seeded: the store does not take this client id')
        return agents.viewForIssue(clientIds, freshness)
      },
    },
  })

test('a look-up of clients that fails for one of them fails its request alone', async t => {
  let culpritId = ''
  const { service, honest, culprit } = await start(t, { break: failLookupAt(id => id === culpritId) })
  culpritId = culprit.clientId
  const answers = await sendTogether(service, [honest, culprit, honest, honest].map(requestOf))
  assert.deepEqual(statusesOf(answers), [200, 500, 200, 200])
  assert.equal(errorOf(answers[1]), 'server_error')
  assert.equal(countRows(service.storeFile, 'token'), 3)
})

/** From now on the database takes no token of this agent. */
const refuseTokensOf = ({ storeFile }: TestServer, { agentId }: AgentOfTest): void =>
  withFile(storeFile, db => {
    const { n } = db.prepare<{ n: number }>('select n from agent where id = ?').get(agentId) ?? { n: 0 }
    if (!isPostgresTested()) {
      db.exec(`create trigger spoil before insert on token when new.agent = ${n}
        begin select raise(abort, 'seeded'); end`)
      return
    }
    db.exec(`create function spoil() returns trigger language plpgsql as $$
      begin if new.agent = ${n} then raise exception 'seeded'; end if; return new; end $$`)
    db.exec('create trigger spoil before insert on token for each row execute function spoil()')
  })

for (const [kind, settings] of [
  ['plain tokens', {}],
  ['tokens of agents with limits', { tokensPerMinute: 100 }],
] as const) {
  test(`a row that the database does not take fails its request alone, and no other is written twice: ${kind}`, async t => {
    const { service } = await start(t)
    const [honest, culprit] = [await service.createAgent(settings), await service.createAgent(settings)]
    // What tokens share is kept by the first.
    await issue(service, honest)
    refuseTokensOf(service, culprit)
    const answers = await sendTogether(service, [honest, culprit, honest, culprit, honest].map(requestOf))
    assert.deepEqual(statusesOf(answers), [200, 500, 200, 500, 200])
    const ids = answers.filter(({ status }) => status === 200).map(answer => claimsOf(tokenIn(answer))['jti'])
    assert.equal(new Set(ids).size, 3)
    assert.equal(countRows(service.storeFile, 'token'), 4)
  })
}

test('tokens whose scope is new are written although the row of another fails', async t => {
  const { service, honest, culprit } = await start(t)
  refuseTokensOf(service, culprit)
  const withScope = (agent: AgentOfTest, scope: string): FormRequest => {
    const request = requestOf(agent)
    return { ...request, form: `${request.form}&scope=${scope}` }
  }
  const answers = await sendTogether(service, [
    withScope(honest, 'db:one'),
    withScope(culprit, 'db:two'),
    withScope(honest, 'db:three'),
  ])
  assert.deepEqual(statusesOf(answers), [200, 500, 200])
  assert.equal(countRows(service.storeFile, 'token'), 2)
})

test('a row that fails after others of its group were written has none of them written again', async t => {
  const { service, honest } = await start(t)
  // Limits need more than a row: such a token is written after those without.
  const culprit = await service.createAgent({ tokensPerMinute: 100 })
  await issue(service, honest)
  refuseTokensOf(service, culprit)
  const answers = await sendTogether(service, [honest, culprit, honest].map(requestOf))
  assert.deepEqual(statusesOf(answers), [200, 500, 200])
  assert.equal(countRows(service.storeFile, 'token'), 3)
})

test('where it is unknown whether a group was written, all of it is 503 and nothing is written again', async t => {
  let inserts = 0
  const { service, honest, culprit } = await start(t, {
    break: ({ ledger, ...ports }) => ({
      ...ports,
      ledger: {
        ...ledger,
        insert: async (tokens, until) => {
          inserts += 1
          await ledger.insert(tokens, until)
          throw new Unavailable('seeded: the connection was lost after COMMIT')
        },
      },
    }),
  })
  const answers = await sendTogether(service, [honest, culprit, honest].map(requestOf))
  assert.deepEqual(statusesOf(answers), [503, 503, 503])
  assert.equal(inserts, 1)
  assert.equal(countRows(service.storeFile, 'token'), 3)
})

const introspection = (key: string, token: string, headers = {}): FormRequest => ({
  path: '/oauth/introspect/v2',
  form: new URLSearchParams({ token }).toString(),
  headers: { 'x-api-key': key, ...headers },
})

const SIGNED = { accept: 'application/token-introspection+jwt' }

test('a look-up of tokens that fails for one of them fails its introspection alone', async t => {
  let culpritId = ''
  const { service, honest } = await start(t, {
    break: ({ ledger, ...ports }) => ({
      ...ports,
      ledger: {
        ...ledger,
        find: async addresses => {
          if (addresses.some(address => address?.id === culpritId))
            throw new Error('seeded: this id cannot be looked up')
          return ledger.find(addresses)
        },
      },
    }),
  })
  const [good, bad] = [await issue(service, honest), await issue(service, honest)]
  culpritId = String(claimsOf(bad)['jti'])
  const { key } = await service.createApiKey('tokens:introspect')
  const asked = [good, bad, good, 'nonsense']
  const answers = await sendTogether(
    service,
    asked.map(token => introspection(key, token)),
  )
  assert.deepEqual(statusesOf(answers), [200, 500, 200, 200])
  assert.deepEqual(
    [0, 2, 3].map(n => memberOf(answers[n], 'active')),
    [true, true, false],
  )
  const signed = await sendTogether(
    service,
    asked.map(token => introspection(key, token, SIGNED)),
  )
  assert.deepEqual(statusesOf(signed), [200, 500, 200, 200])
})
