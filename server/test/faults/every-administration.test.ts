// Each operation of the administration beside a fault of each port that it itself waits for: 503 or 500, by the deadline, and
// never a success or a refusal. That its caller cannot be recognized is tried in every-port.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { admin } from '../../../testkit/callers/administration.ts'
import { OPERATIONS, type OperationRequest, sendAs, type World } from '../../../testkit/callers/every-operation.ts'
import type { Answer } from '../../../testkit/callers/requests.ts'
import { strikePorts, WATCHED } from '../../../testkit/services/struck-ports.ts'
import { IN_TIME, startServer } from '../../../testkit/services/test-server.ts'

const OWN = [
  'credentials',
  'dryRuns',
  'revocations',
  'audit',
  'auditSeals',
  'leakedSecrets',
  'imports',
  'managed',
  'issuers',
  'sessions',
  'settings',
  'verifiers',
  'usage',
] as const
const { struck, awaited, advance, heal, break: breakPorts } = strikePorts([...WATCHED, ...OWN])

/** By which the caller is recognized. */
const RECOGNIZING: ReadonlySet<string> = new Set(['operators.verify', 'apiKeys.find'])

/** A deadline that does not hold must turn the test red, not leave it waiting. */
const HANGING = { timeout: 300_000 }

let world: World
let headers: Readonly<Record<string, string>>

before(async () => {
  const service = await startServer({ break: breakPorts, timing: IN_TIME })
  world = { service, client: await service.createAgent() }
  headers = await admin(service)
})
after(() => world.service.close())

const ADMINISTRATION = Object.entries(OPERATIONS).filter(([route]) => route.includes(' /api/v1/'))

const requestOf = async (route: string): Promise<OperationRequest> => {
  heal()
  const make = OPERATIONS[route] ?? assert.fail(route)
  const request = await make(world)
  heal()
  return request
}

const ask = (request: OperationRequest): Promise<Answer> => sendAs(world.service, request, headers)

/** The calls of ports that the operation waits for, with every port well. */
const callsOf = async (route: string): Promise<readonly string[]> => {
  const { status, text } = await ask(await requestOf(route))
  assert.ok(status < 300, `${route}: ${status} ${text}`)
  return [...awaited].filter(call => !RECOGNIZING.has(call))
}

/** What was done is said, although more about it cannot be read: the status in place of 503. */
const DONE: Readonly<Record<string, number>> = { 'POST /api/v1/revocations verifiers.holding': 201 }

const FAULTS = {
  503: () => Promise.reject(new Unavailable('The disk is full.')),
  500: () => Promise.reject(new TypeError('a bug')),
} as const

test('the table has every operation of the administration, and each waits for a port of its own', HANGING, async () => {
  assert.ok(ADMINISTRATION.length > 30, `only ${ADMINISTRATION.length}`)
  for (const [route] of ADMINISTRATION) assert.ok((await callsOf(route)).length > 0, `${route} waits for no port`)
})

for (const [route] of ADMINISTRATION) {
  test(
    `${route}: whatever it waits for is unavailable, has a fault or hangs: 503, 500, and 503 by the deadline`,
    HANGING,
    async () => {
      for (const call of await callsOf(route)) {
        for (const [status, strike] of Object.entries(FAULTS)) {
          const request = await requestOf(route)
          struck.set(call, strike)
          const answer = await ask(request)
          const done = status === '503' ? DONE[`${route} ${call}`] : undefined
          assert.equal(answer.status, done ?? Number(status), `${call}: ${answer.text}`)
          assert.doesNotMatch(answer.text, /a bug/)
        }
        const request = await requestOf(route)
        const reached = Promise.withResolvers<void>()
        struck.set(call, () => {
          reached.resolve()
          return new Promise(() => undefined)
        })
        const answering = ask(request)
        await reached.promise
        advance(5000)
        const answer = await answering
        assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'], call)
      }
    },
  )
}
