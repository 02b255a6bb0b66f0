// The steps of client authentication: which come first, which hold a permit, and which answer stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrRefusal } from '../../src/domain/refusal.ts'
import { authenticateClients, type Checked } from '../../src/operations/authentication/authenticate-client.ts'
import { type ClientCredentials, refuseClient } from '../../src/operations/authentication/recognize-client.ts'
import type { ImportedSecrets } from '../../src/ports/imports.ts'

type Request = { readonly credentials: ClientCredentials; readonly origin: typeof ORIGIN }
type Ports = Parameters<typeof authenticateClients>[0]
type Answer = { readonly token: string }

const ORIGIN = { requestId: 'request', source: '192.0.2.1', until: 5000 } as const
const SECRET = { kind: 'secret', clientId: 'client', secret: 'short' } as const
const ASSERTION = { kind: 'assertion', assertion: 'a.b.c' } as const
const REFUSED = refuseClient(SECRET, undefined)
const LEGACY = {
  ...REFUSED,
  legacyHash: {
    caller: { kind: 'client', agentId: 'agent', clientId: 'client' } as const,
    credentialId: 'credential',
    foreignHash: 'hash of another server',
    secrets: ['short'],
  },
}

const unused = (): never => assert.fail('No test here needs this port.')

/** Runs one request against decisions in order; the steps show how many permits are held at each. */
const run = async (
  credentials: ClientCredentials,
  decisions: readonly OrRefusal<Answer>[],
  verified: Awaited<ReturnType<ImportedSecrets['verify']>> = 'wrong',
) => {
  const steps: string[] = []
  let permits = 0
  let decided = 0
  const ports = {
    assertions: {
      read: () => {
        steps.push(`assertion, ${permits} permits`)
        return { wrong: 'not a JWS' }
      },
    },
    importedSecrets: {
      hash: unused,
      verify: async () => {
        steps.push(`legacy hash, ${permits} permits`)
        return verified
      },
    },
    imports: { convert: unused },
  } as unknown as Ports
  const answer = await authenticateClients<Request, Answer>(ports, {
    decide: async ({ credentials: { kind } }: Checked<Request>) => {
      steps.push(`decide on ${kind}, ${permits} permits`)
      return decisions[decided++] ?? REFUSED
    },
    limit: attempt => async request => {
      permits += 1
      return attempt(request).finally(() => (permits -= 1))
    },
  })({ credentials, origin: ORIGIN })
  return { answer, steps }
}

test('a client that is recognized is decided on once, under a permit', async () => {
  const { answer, steps } = await run(SECRET, [{ token: 'one' }])
  assert.deepEqual([answer, steps], [{ token: 'one' }, ['decide on secret, 1 permits']])
})

test('an assertion is checked under a permit before anything is decided', async () => {
  const { answer, steps } = await run(ASSERTION, [{ token: 'one' }])
  assert.ok('refusal' in answer)
  assert.deepEqual(steps, ['assertion, 1 permits'])
})

test('a legacy secret is verified without a permit, and then decided on again with its credential', async () => {
  const { answer, steps } = await run(SECRET, [LEGACY, { token: 'two' }], { secret: 'short' })
  assert.deepEqual(answer, { token: 'two' })
  assert.deepEqual(steps, ['decide on secret, 1 permits', 'legacy hash, 0 permits', 'decide on verified, 1 permits'])
})

test('a wrong legacy secret gets the refusal of the first decision', async () => {
  const { answer, steps } = await run(SECRET, [LEGACY])
  assert.deepEqual('refusal' in answer && answer.refusal, REFUSED.refusal)
  assert.equal(steps.length, 2)
})

test('a credential that is gone by the second decision is refused, and no third one is made', async () => {
  const { answer, steps } = await run(SECRET, [LEGACY, REFUSED, { token: 'three' }], { secret: 'short' })
  assert.deepEqual([answer, steps.length], [REFUSED, 3])
})

const WORKLOAD = {
  kind: 'workload_identity',
  issuer: 'https://ci.example',
  subject: 'repo:x',
  audience: null,
  jwksUri: null,
} as const

/** A request with the assertion of a workload. The store names its credential, and has it, in turn; the decisions are in order. */
const runWorkload = async (
  named: readonly string[],
  there: readonly string[],
  decisions: readonly OrRefusal<Answer>[],
) => {
  const decided: string[] = []
  let [looks, views] = [0, 0]
  const claims = { iss: WORKLOAD.issuer, sub: WORKLOAD.subject, aud: 'https://mintmark.example', exp: 60 }
  const ports = {
    assertions: { read: () => ({ claims, verify: async () => null }) },
    credentials: { findWorkload: async () => ({ clientId: 'client', id: named[looks++] }) },
    agents: {
      viewForIssue: async () => {
        const credentials = [{ id: there[views++], trust: WORKLOAD, expiresAt: null }]
        return { now: 0, clients: [{ agent: { id: 'agent', clientId: 'client' }, credentials }] }
      },
    },
    profile: { issuer: 'https://mintmark.example' },
  } as unknown as Ports
  const answer = await authenticateClients<Request, Answer>(ports, {
    decide: async ({ credentials }: Checked<Request>) => {
      const refused = refuseClient(credentials, undefined)
      decided.push('credentialId' in credentials ? credentials.credentialId : '')
      return decisions[decided.length - 1] ?? refused
    },
  })({ credentials: ASSERTION, origin: ORIGIN })
  return [answer, decided] as const
}

test('a workload whose credential another one replaces meanwhile is that other one', async () => {
  const token = { token: 'one' }
  const refused = refuseClient(SECRET, undefined)
  // Between the two reads of the store; and between the second of them and the decision.
  assert.deepEqual(await runWorkload(['old', 'new'], ['new', 'new'], [token]), [token, ['new']])
  assert.deepEqual(await runWorkload(['old', 'new'], ['old', 'new'], [refused, token]), [token, ['old', 'new']])
  // The same one, refused, is not decided on again.
  const [answer, decided] = await runWorkload(['old', 'old'], ['old', 'old'], [])
  assert.deepEqual(['refusal' in answer, decided], [true, ['old']])
})

test('too many verifications are answered temporarily_unavailable', async () => {
  const { answer } = await run(SECRET, [LEGACY], 'busy')
  assert.equal('refusal' in answer && answer.refusal.code, 'temporarily_unavailable')
})
