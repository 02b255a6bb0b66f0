// Floods of wrong secrets for imported clients: what is slow is verified in turns, and a caller that waits keeps nobody out.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, test } from 'node:test'
import { makeForeignHashCheck } from '../../../src/keys/clients/check-foreign-hash.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { hydraRow } from '../../../../testkit/callers/foreign-exports.ts'
import { importsInto, pbkdf2Hash } from '../../../../testkit/callers/imports.ts'
import {
  type Answer,
  askToken,
  assertError,
  introspect,
  issue,
  postForm,
  send,
} from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const WAITERS_MAX = 64
const VERIFICATIONS_OF_ONE_MAX = 4

/** Token requests that may be under way in a thread. */
const ISSUES_MAX = 2048
const RIGHT = 'orders-service-secret-2019'
const SHORT = 'a short one'
const ELSEWHERE = { agent: false, localAddress: '127.0.0.2' } as const
const WRONG =
  'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
const BUSY = 'More secrets of imported clients are waiting to be checked than are taken: try again.'

/** A verification that the test ends. */
type Verification = { readonly secret: string; readonly end: () => void }

let isHeld = false
/** That have begun: which, in order, and what ends the one that is held. */
let begun: Verification[] = []
let waiting = 0

/** The queue as it is, in front of verifications that the test ends, on a clock that stands still. */
const holdVerifications = (ports: Ports): Ports => {
  const verify = makeForeignHashCheck({
    timing: TIMING,
    now: () => 0,
    verify: ({ secrets }) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      const end = () => resolve(secrets.findIndex(secret => [RIGHT, SHORT].includes(secret)))
      begun.push({ secret: secrets[0] ?? '', end })
      if (!isHeld) end()
      return promise
    },
  })
  return {
    ...ports,
    importedSecrets: {
      ...ports.importedSecrets,
      verify: async proof => {
        waiting += 1
        try {
          return await verify(proof)
        } finally {
          waiting -= 1
        }
      },
    },
  }
}

const service = useService({ break: holdVerifications })
afterEach(() => letGo())

const hold = (): void => {
  isHeld = true
  begun = []
}

/** Ends what is held, and whatever begins from now on. */
const letGo = (): void => {
  isHeld = false
  for (const { end } of begun) end()
}

/** Polls what the test itself counts, and fails where that never comes. */
const until = async (isSo: () => boolean): Promise<void> => {
  const never = AbortSignal.timeout(60_000)
  while (!isSo()) {
    never.throwIfAborted()
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Ends the verifications one by one, in the order in which they begin, until so many have begun. */
const endOneByOne = async (count: number): Promise<readonly string[]> => {
  for (let n = 0; n < count; n += 1) {
    await until(() => begun.length > n)
    begun[n]?.end()
  }
  return begun.map(({ secret }) => secret)
}

let clients = 0

const importClient = async (clientSecret = RIGHT): Promise<AgentOfTest> => {
  clients += 1
  const row = hydraRow(`flooded-${clients}`, { client_secret: pbkdf2Hash(clientSecret, 10) })
  const [one] = await importsInto(service).importing({ source: 'hydra', document: [row] })
  assert.equal(one?.['outcome'], 'imported')
  return { agentId: one.agent_id, clientId: String(one['client_id']), clientSecret }
}

const ask = (agent: AgentOfTest, clientSecret = agent.clientSecret): Promise<Answer> =>
  askToken(service, { ...agent, clientSecret }, { scope: 'db:read' })

const formOf = ({ clientId }: AgentOfTest, secret: string): string =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'db:read',
    client_id: clientId,
    client_secret: secret,
  }).toString()

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const askFromElsewhere = (agent: AgentOfTest, secret: string): Promise<Answer> =>
  send(service, {
    method: 'POST',
    path: '/oauth/token',
    headers: FORM,
    body: formOf(agent, secret),
    connection: ELSEWHERE,
  })

/** Sends so many requests at once, pipelined on each of so many connections from elsewhere; the status of each. */
const flood = async (
  agent: AgentOfTest,
  {
    sockets,
    requestsEach,
    heard,
  }: { sockets: number; requestsEach: number; heard?: (statuses: readonly string[]) => void },
): Promise<readonly string[]> => {
  const { hostname, port } = new URL(service.baseUrl)
  const body = formOf(agent, 'a wrong secret')
  const head = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM['content-type']}\r\nContent-Length: ${body.length}\r\n`
  const bytes = `${`${head}\r\n${body}`.repeat(requestsEach - 1)}${head}Connection: close\r\n\r\n${body}`
  const answers = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: ELSEWHERE.localAddress })
      socket.write(bytes)
      const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
      heard?.(statuses)
      return statuses
    }),
  )
  return answers.flat()
}

const count = (statuses: readonly string[], wanted: string): number =>
  statuses.filter(status => status === wanted).length

test('more requests with one wrong secret than are taken leave every other agent its tokens', async () => {
  const [flooded, other] = [await importClient(), await service.createAgent()]
  hold()
  const sockets = ISSUES_MAX + WAITERS_MAX
  let answered = 0
  const flooding = flood(flooded, { sockets, requestsEach: 1, heard: () => (answered += 1) })
  await until(() => waiting + answered >= sockets)
  for (let n = 0; n < 25; n += 1) assert.equal((await askToken(service, other)).status, 200)
  assert.deepEqual([begun.length, waiting], [1, WAITERS_MAX], 'the flood still waits')
  letGo()
  const statuses = await flooding
  assert.equal(count(statuses, '503') + count(statuses, '401'), sockets)
})

test('pipelined connections with one wrong secret: another agent is served while they wait', async () => {
  const [flooded, other] = [await importClient(), await service.createAgent()]
  hold()
  const flooding = flood(flooded, { sockets: 60, requestsEach: 20 })
  await until(() => begun.length === 1)
  for (let n = 0; n < 25; n += 1) assert.equal((await askToken(service, other)).status, 200)
  assert.equal(begun.length, 1)
  letGo()
  const statuses = await flooding
  assert.equal(count(statuses, '503') + count(statuses, '401'), 60 * 20)
})

test('as many requests as may wait for the verification of one secret do; the next one is 503', async () => {
  const agent = await importClient()
  hold()
  const asked = Array.from({ length: WAITERS_MAX }, () => ask(agent, 'a wrong secret'))
  await until(() => waiting === WAITERS_MAX)
  const refused = await ask(agent, 'a wrong secret')
  assertError(refused, 503, 'temporarily_unavailable', BUSY)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(begun.length, 1)
  letGo()
  for (const answer of await Promise.all(asked)) assertError(answer, 401, 'invalid_client', WRONG)
})

test('as many different secrets of one client as may wait do; the next one from there is 503', async () => {
  const agent = await importClient()
  hold()
  const asked = Array.from({ length: VERIFICATIONS_OF_ONE_MAX }, (_, n) => ask(agent, `guess ${n}`))
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX)
  assertError(await ask(agent, 'another guess'), 503, 'temporarily_unavailable', BUSY)
  letGo()
  for (const answer of await Promise.all(asked)) assertError(answer, 401, 'invalid_client', WRONG)
})

test('clients with right secrets are served before the second of four wrong ones of another client', async () => {
  const [flooded, second, third] = [await importClient(), await importClient(), await importClient()]
  hold()
  const guesses = Array.from({ length: VERIFICATIONS_OF_ONE_MAX }, (_, n) => ask(flooded, `guess ${n}`))
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX)
  const right = [ask(second), ask(third)]
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX + 2)
  const order = await endOneByOne(3)
  assert.match(order[0] ?? '', /^guess/)
  assert.deepEqual(order.slice(1, 3), [RIGHT, RIGHT])
  for (const answer of await Promise.all(right)) assert.equal(answer.status, 200)
  letGo()
  for (const answer of await Promise.all(guesses)) assertError(answer, 401, 'invalid_client', WRONG)
})

test('the right secret of a flooded client is served in its next turn, and the last of the flood gives way', async () => {
  const agent = await importClient()
  hold()
  const guesses = Array.from({ length: VERIFICATIONS_OF_ONE_MAX }, (_, n) => askFromElsewhere(agent, `guess ${n}`))
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX)
  const right = ask(agent)
  const refused = await Promise.race(guesses)
  assertError(refused, 503, 'temporarily_unavailable', BUSY)
  const order = await endOneByOne(2)
  assert.equal(order[1], RIGHT)
  assert.equal((await right).status, 200)
  letGo()
  const answers = await Promise.all(guesses)
  assert.equal(answers.filter(({ status }) => status === 401).length, VERIFICATIONS_OF_ONE_MAX - 1)
})

test('a client whose secret is too short to be converted has every second turn where it was served before', async () => {
  const agent = await importClient(SHORT)
  assert.equal((await ask(agent)).status, 200)
  hold()
  const guesses = Array.from({ length: VERIFICATIONS_OF_ONE_MAX }, (_, n) => askFromElsewhere(agent, `guess ${n}`))
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX)
  const right = ask(agent)
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX + 1)
  const order = await endOneByOne(2)
  assert.equal(order[1], SHORT)
  assert.equal((await right).status, 200)
  letGo()
  for (const answer of await Promise.all(guesses)) assertError(answer, 401, 'invalid_client', WRONG)
})

test('a client revokes its own token by a secret that was not verified yet, in the next turn of a flood', async () => {
  const [agent, flooded] = [await importClient(SHORT), await importClient()]
  const token = await issue(service, agent, { scope: 'db:read' })
  const { key } = await service.createApiKey('tokens:introspect')
  hold()
  const guesses = Array.from({ length: VERIFICATIONS_OF_ONE_MAX }, (_, n) => ask(flooded, `guess ${n}`))
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX)
  const form = { token, client_id: agent.clientId, client_secret: SHORT }
  const revoked = postForm(service, '/oauth/revoke', form)
  await until(() => waiting === VERIFICATIONS_OF_ONE_MAX + 1)
  const order = await endOneByOne(2)
  assert.equal(order[1], SHORT)
  assert.equal((await revoked).status, 200)
  assert.equal((await introspect(service, key, token)).text, '{"active":false}')
  letGo()
  await Promise.all(guesses)
})
