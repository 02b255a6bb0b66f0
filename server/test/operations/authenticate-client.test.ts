// The cost of recognising a client: the same whatever is wrong, and however many credentials there are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../src/domain/agent.ts'
import { CREDENTIALS_MAX } from '../../src/domain/credential.ts'
import { NO_LIMITS } from '../../src/domain/limits.ts'
import { randomness } from '../../src/keys/randomness.ts'
import { makeSecrets } from '../../src/keys/secrets.ts'
import { authenticateClient } from '../../src/operations/authenticate-client.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const real = makeSecrets(randomness)
const SECRET = real.makeClientSecret()

const clientWith = (credentials: Client['credentials'], disabledAt: number | null = null): Client => ({
  number: 1,
  agent: {
    id: 'agent',
    clientId: 'client',
    name: 'agent',
    description: null,
    owner: null,
    labels: {},
    disabledAt,
    scopes: ['db:*'],
    defaultScope: null,
    resources: [],
    defaultAudience: null,
    lifetimeSeconds: null,
    ...NO_LIMITS,
    dpopBound: false,
    createdAt: NOW,
  },
  credentials,
})

const credential = (number: number, secret: string, expiresAt: number | null = null) => ({
  number,
  id: `credential ${number}`,
  secretHash: real.hash(secret),
  expiresAt,
})

const others = Array.from({ length: CREDENTIALS_MAX - 1 }, (_, n) => credential(n + 2, `other ${n}`))

const run = (client: Client | undefined, secret = SECRET) => {
  const asked = { hashes: 0, comparisons: 0 }
  const secrets = {
    ...real,
    hash: (text: string) => {
      asked.hashes += 1
      return real.hash(text)
    },
    areEqual: (a: string, b: string) => {
      asked.comparisons += 1
      return real.areEqual(a, b)
    },
  }
  const found = authenticateClient({ secrets }, { kind: 'secret', clientId: 'client', secret }, client, NOW)
  return { asked, number: found?.credential.number }
}

const CASES: Readonly<Record<string, readonly [Client | undefined, number | undefined]>> = {
  'an unknown client': [undefined, undefined],
  'a client without credentials': [clientWith([]), undefined],
  'a wrong secret': [clientWith(others), undefined],
  'one credential, the right one': [clientWith([credential(1, SECRET)]), 1],
  'the first of as many as there can be': [clientWith([credential(1, SECRET), ...others]), 1],
  'the last of as many as there can be': [clientWith([...others, credential(1, SECRET)]), 1],
  'the right one of a disabled agent': [clientWith([credential(1, SECRET)], NOW), undefined],
  'one that expires in a millisecond': [clientWith([credential(1, SECRET, NOW + 1)]), 1],
  'one that expires now': [clientWith([credential(1, SECRET, NOW)]), undefined],
}

for (const [name, [client, number]] of Object.entries(CASES)) {
  test(`${name} is ${number === undefined ? 'refused' : 'taken'} at the cost of every other case`, () => {
    assert.deepEqual(run(client), { asked: { hashes: 1, comparisons: CREDENTIALS_MAX }, number })
  })
}

test('the hash that stands in for a missing credential opens nothing', () => {
  assert.equal(run(clientWith([]), '').number, undefined)
})
