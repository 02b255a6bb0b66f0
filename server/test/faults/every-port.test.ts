// Each port that can fail, struck in each way, under each operation over HTTP: 503 or 500, and never a guess.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import type { InsertOutcome } from '../../src/ports/ports.ts'
import { askWith, goodClaims, makeProof, makeProofKey } from '../../../testkit/keys/dpop.ts'
import {
  type Answer,
  askToken,
  assertError,
  assertProblem,
  basic,
  bearer,
  get,
  introspect,
  issue,
  postForm,
  postJson,
  revoke,
  send,
} from '../../../testkit/callers/requests.ts'
import { ask as askFeed, FEED, type Head, readHead } from '../../../testkit/feed/feed-client.ts'
import { strikePorts } from '../../../testkit/services/struck-ports.ts'
import { type AgentOfTest, IN_TIME, startServer, type TestServer } from '../../../testkit/services/test-server.ts'

const UNAVAILABLE = 'The service cannot answer for certain right now: try again.'
const proofKey = makeProofKey()
const FAULT = 'The service failed. Its log has the reason.'
const LATE = 'The request took too long. Whether a change was made is unknown.'

const { struck, called, advance, heal, break: breakPorts } = strikePorts()

/** A deadline that does not hold must turn the test red, not leave it waiting. */
const HANGING = { timeout: 300_000 }

let service: TestServer
let agent: AgentOfTest
let key: string
let reader: Readonly<Record<string, string>>
let operator: Readonly<Record<string, string>>
let token: string
let head: Head

before(async () => {
  service = await startServer({ break: breakPorts, config: { dpopNonce: 'off' }, timing: IN_TIME })
  agent = await service.createAgent()
  key = (await service.createApiKey('tokens:introspect')).key
  reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  operator = bearer(await service.provider.operatorJwt())
})
after(() => service.close())

beforeEach(async () => {
  heal()
  // What it adds to the feed is not signed yet.
  await revoke(service, await issue(service, agent))
  head = await readHead(service, key)
  token = await issue(service, agent)
  called.clear()
})

const followed = (path: string): Promise<Answer> => askFeed(service, key, path)

const LIST = '/api/v1/tokens'
const HISTORY = '/api/v1/tokens/history'
const REPORTS = '/oauth/revocation-feed/positions'

const overtaken = (): Promise<Answer> => {
  struck.set('ledger.insert', () => Promise.resolve<readonly InsertOutcome[]>(['decide_again']))
  return askToken(service, agent)
}

const revokeOwn = (): Promise<Answer> =>
  postForm(service, '/oauth/revoke', { token }, basic(agent.clientId, agent.clientSecret))

type Operation = {
  readonly ask: () => Promise<Answer>
  readonly path: string
  /** The calls that it makes of a port which can fail; the last one may find that it has run out of time. */
  readonly calls: readonly string[]
  /** With every port well; 200 unless it is said. */
  readonly status?: number
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  issue: {
    ask: () => askToken(service, agent),
    path: '/oauth/token',
    calls: ['agents.viewForIssue', 'ledger.insert'],
  },
  'issue, overtaken three times': {
    ask: overtaken,
    path: '/oauth/token',
    calls: ['agents.viewForIssue', 'ledger.exclusively'],
  },
  'issue, with a DPoP proof': {
    ask: () => askWith(service, agent, makeProof(proofKey, { claims: goodClaims(service) })),
    path: '/oauth/token',
    calls: ['agents.viewForIssue', 'ledger.insert'],
  },
  introspect: {
    ask: () => introspect(service, key, token),
    path: '/oauth/introspect/v2',
    calls: ['apiKeys.find', 'ledger.find'],
  },
  'the head of the feed': { ask: () => followed(''), path: FEED, calls: ['apiKeys.find', 'feed.head'] },
  'the snapshot of the feed': {
    ask: () => followed('/snapshot'),
    path: `${FEED}/snapshot`,
    calls: ['apiKeys.find', 'feed.read', 'agents.viewForIssue'],
  },
  'a segment of the feed': {
    ask: () => followed(`/segments/${head.epoch}/0-${head.position}`),
    path: `${FEED}/segments/{epoch}/{range}`,
    calls: ['apiKeys.find', 'feed.head', 'agents.viewForIssue', 'feed.read'],
  },
  'changes of the feed': {
    ask: () => followed(`/changes?epoch=${head.epoch}&position=${head.position - 1}`),
    path: `${FEED}/changes`,
    calls: ['apiKeys.find', 'feed.head', 'agents.viewForIssue', 'feed.read'],
  },
  'revoke, by an operator': {
    ask: () => revoke(service, token),
    path: '/oauth/revoke',
    calls: ['operators.verify', 'ledger.find', 'ledger.end'],
  },
  'revoke, by the client': {
    ask: revokeOwn,
    path: '/oauth/revoke',
    calls: ['agents.viewForIssue', 'ledger.find', 'ledger.end'],
  },
  list: { ask: () => get(service, LIST, reader), path: LIST, calls: ['apiKeys.find', 'ledger.listLive'] },
  'list, to an operator': {
    ask: () => get(service, LIST, operator),
    path: LIST,
    calls: ['operators.verify', 'ledger.listLive'],
  },
  'list, of an owner': {
    ask: () => get(service, `${LIST}?owner=Ada`, reader),
    path: LIST,
    calls: ['apiKeys.find', 'ledger.selectAgents', 'ledger.listLive'],
  },
  'list, by HEAD': {
    ask: () => send(service, { method: 'HEAD', path: LIST, headers: reader }),
    path: LIST,
    calls: ['apiKeys.find', 'ledger.listLive'],
  },
  history: { ask: () => get(service, HISTORY, reader), path: HISTORY, calls: ['apiKeys.find', 'ledger.listEnded'] },
  'explain the text of a token': {
    ask: () => postJson(service, `${LIST}/explain`, { token }, reader),
    path: `${LIST}/explain`,
    calls: ['apiKeys.find', 'ledger.explain', 'ledger.find'],
  },
  'report of a position': {
    ask: () => postJson(service, REPORTS, { name: 'orders', epoch: 'E', position: 7 }, { 'x-api-key': key }),
    path: REPORTS,
    calls: ['apiKeys.find'],
    status: 204,
  },
  'key set': {
    ask: () => get(service, '/.well-known/jwks.json'),
    path: '/.well-known/jwks.json',
    calls: ['signingKeys.published'],
  },
  readiness: { ask: () => get(service, '/readyz'), path: '/readyz', calls: ['health.check'] },
}

const assertUnavailable = (name: string, answer: Answer, reason = UNAVAILABLE): void => {
  assert.equal(answer.headers['retry-after'], '1')
  if (name === 'list, by HEAD') assert.equal(answer.status, 503)
  else if (answer.path === '/readyz') {
    assert.deepEqual([answer.status, answer.json], [503, { status: 'unavailable', reason }])
  } else if (answer.path.startsWith('/api/')) assertProblem(answer, 503, 'temporarily_unavailable', UNAVAILABLE)
  else assertError(answer, 503, 'temporarily_unavailable', UNAVAILABLE)
}

const assertStillActive = async (): Promise<void> => {
  heal()
  assert.match((await introspect(service, key, token)).text, /^\{"active":true,/)
}

test('the table holds every operation that touches a port', async () => {
  const { paths } = (await get(service, '/openapi.json')).json as { paths: Readonly<Record<string, unknown>> }
  const listed = Object.values(OPERATIONS).map(({ path }) => path)
  const others = Object.keys(paths).filter(path => !listed.includes(path) && !path.startsWith('/api/v1/'))
  assert.deepEqual(others.toSorted(), [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/errors',
    '/livez',
    // Who asks needs a JWT: contract/subjects/global-revocation. A stream goes on without an answer: contract/oauth/revocation-feed-stream.
    '/oauth/global-token-revocation',
    `${FEED}/stream`,
  ])
})

/** Every operation of the administration, as the description has it, asked with a key that has all permissions. */
const administration = async (): Promise<readonly (() => Promise<Answer>)[]> => {
  const { paths } = (await get(service, '/openapi.json')).json as { paths: Readonly<Record<string, object>> }
  const headers = { ...reader, 'content-type': 'application/json' }
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/') && path !== LIST && path !== HISTORY)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map(method => () => {
        const message = { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, agent.agentId), headers }
        return send(service, method === 'get' || method === 'delete' ? message : { ...message, body: '{}' })
      }),
    )
}

test('every operation of the administration: its caller cannot be recognized: 503, or 500 for a fault', async () => {
  const operations = await administration()
  assert.ok(operations.length > 20, `only ${operations.length}`)
  for (const ask of operations) {
    struck.set('apiKeys.find', () => Promise.reject(new Unavailable('The disk is full.')))
    assertUnavailable('administration', await ask())
    struck.set('apiKeys.find', () => Promise.reject(new TypeError('a bug')))
    const { status, json } = await ask()
    assert.deepEqual([status, (json as { detail: string }).detail], [500, FAULT])
  }
})

test('every operation of the administration is answered by the deadline', HANGING, async () => {
  for (const ask of await administration()) {
    heal()
    const reached = Promise.withResolvers<void>()
    struck.set('apiKeys.find', () => {
      reached.resolve()
      return new Promise(() => undefined)
    })
    const answering = ask()
    await reached.promise
    advance(5000)
    assertUnavailable('administration', await answering)
  }
})

for (const [name, { ask, calls, status: good = 200 }] of Object.entries(OPERATIONS)) {
  test(`${name}: with every port well it is ${good}, and it calls no other port`, async () => {
    const { status, text } = await ask()
    assert.equal(status, good, text)
    assert.deepEqual(
      [...called].filter(call => !struck.has(call)),
      calls,
    )
  })

  for (const call of calls) {
    test(`${name}: ${call} is unavailable: 503 with Retry-After, and nothing is changed`, async () => {
      struck.set(call, () => Promise.reject(new Unavailable('The disk is full.')))
      assertUnavailable(name, await ask(), 'The disk is full.')
      await assertStillActive()
    })

    test(`${name}: ${call} has a fault: 500, and nothing is changed`, async () => {
      struck.set(call, () => {
        throw new TypeError('a bug')
      })
      const answer = await ask()
      assert.equal(answer.status, 500)
      assert.doesNotMatch(answer.text, /a bug/)
      if (answer.json !== undefined)
        assert.equal((answer.json as { error_description: string }).error_description, FAULT)
      await assertStillActive()
    })

    test(`${name}: ${call} hangs: 503 by the deadline, and its late end is no second answer`, HANGING, async () => {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<void>()
      struck.set(call, async real => {
        reached.resolve()
        await released.promise
        return Promise.resolve(real()).finally(() => setImmediate(ended.resolve))
      })
      const answering = ask()
      await reached.promise
      advance(5000)
      assertUnavailable(name, await answering, LATE)
      released.resolve()
      await ended.promise
      heal()
      assert.equal((await get(service, '/readyz')).status, 200)
    })
  }
}

/** Those whose last call writes. */
const WRITING = Object.entries(OPERATIONS).filter(([, { path }]) => /token$|revoke$/.test(path))

for (const [name, { ask, calls }] of WRITING) {
  test(`${name}: what its deadline overtakes before ${calls.at(-1)} is not begun`, async () => {
    const listed = await get(service, LIST, reader)
    advance(-10_000)
    assertUnavailable(name, await ask())
    await assertStillActive()
    assert.equal((await get(service, LIST, reader)).text, listed.text)
  })
}
