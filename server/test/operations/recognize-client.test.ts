// The cost of recognizing a client: the same whatever is wrong, and however many credentials there are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../src/domain/clients/agent.ts'
import { CREDENTIALS_MAX } from '../../src/domain/clients/credential.ts'
import { NO_LIMITS } from '../../../api/values/limits.ts'
import { isRefused } from '../../src/domain/refusal.ts'
import { makeImportedSecrets, makeSecrets, randomness } from '../../src/keys/clients/secrets.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { type CheckedCredentials, recognizeClient } from '../../src/operations/authentication/recognize-client.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const real = makeSecrets(randomness)
const keyed = makeImportedSecrets(new Uint8Array(32).fill(7), TIMING)
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
    suspendedAt: null,
    managedBy: null,
    scopes: ['db:*'],
    defaultScope: null,
    resources: [],
    defaultAudience: null,
    lifetimeSeconds: null,
    ...NO_LIMITS,
    dpopBound: false,
    certificateBound: false,
    grantTypes: ['client_credentials'],
    actsFor: [],
    receives: [],
    issuerClients: {},
    claims: {},
    expiresAt: null,
    createdAt: NOW,
  },
  credentials,
})

const credential = (number: number, secret: string, expiresAt: number | null = null) => ({
  number,
  id: `credential ${number}`,
  secretHash: real.hash(secret),
  isImported: false,
  foreignHash: null,
  trust: null,
  expiresAt,
})

const others = Array.from({ length: CREDENTIALS_MAX - 1 }, (_, n) => credential(n + 2, `other ${n}`))

type Recognition = Parameters<typeof recognizeClient>[0]

/** The number of the credential that is recognized; undefined where the client is refused. */
const numberOf = (
  ports: Recognition,
  presented: CheckedCredentials,
  client: Client | undefined,
): number | undefined => {
  const found = recognizeClient(ports, presented, client, NOW)
  return isRefused(found) ? undefined : found.credential.number
}

const run = (client: Client | undefined, secret = SECRET) => {
  const asked = { hashes: 0, comparisons: 0, keyed: 0 }
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
  const importedSecrets = {
    ...keyed,
    hash: (text: string) => {
      asked.keyed += 1
      return keyed.hash(text)
    },
  }
  const ports = { secrets, importedSecrets }
  return { asked, number: numberOf(ports, { kind: 'secret', clientId: 'client', secret }, client) }
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
    assert.deepEqual(run(client), { asked: { hashes: 1, comparisons: CREDENTIALS_MAX, keyed: 0 }, number })
  })
}

test('the hash that stands in for a missing credential opens nothing', () => {
  assert.equal(run(clientWith([]), '').number, undefined)
})

const imported = (number: number, secret: string) => ({
  ...credential(number, secret),
  secretHash: keyed.hash(secret),
  isImported: true,
})

test('an imported secret is taken by its keyed hash alone, for one hash more, beside secrets of ours', () => {
  const both = clientWith([credential(1, SECRET), imported(2, 'made by another server')])
  const cost = { hashes: 1, comparisons: CREDENTIALS_MAX, keyed: 0 }
  assert.deepEqual(run(both), { asked: cost, number: 1 })
  const taken = { asked: { ...cost, comparisons: CREDENTIALS_MAX + 1, keyed: 1 }, number: 2 }
  assert.deepEqual(run(both, 'made by another server'), taken)
  assert.equal(run(both, 'made by another servers').number, undefined)
  const underOurHash = { ...credential(3, 'made by another server'), isImported: true }
  assert.equal(run(clientWith([{ ...imported(2, SECRET), isImported: false }])).number, undefined)
  assert.equal(run(clientWith([{ ...underOurHash, secretHash: '' }]), '').number, undefined)
})

test('a secret that HTTP Basic may have carried unencoded is compared in both forms, if it is an imported one', () => {
  const both = { kind: 'secret', clientId: 'client', secret: 'a b', rawSecret: 'a+b' } as const
  const found = (known: Client['credentials']) =>
    numberOf({ secrets: real, importedSecrets: keyed }, both, clientWith(known))
  assert.deepEqual([found([imported(1, 'a b')]), found([imported(2, 'a+b')])], [1, 2])
  assert.deepEqual([found([credential(1, 'a b')]), found([credential(2, 'a+b')])], [1, undefined])
})

test('a verified credential is taken while it is there, has not expired, and its agent is enabled', () => {
  const ports = { secrets: real, importedSecrets: keyed }
  const verified = { kind: 'verified', by: 'assertion', clientId: 'client', credentialId: 'credential 1' } as const
  const number = (client: Client) => numberOf(ports, verified, client)
  assert.equal(number(clientWith([credential(1, SECRET)])), 1)
  assert.equal(number(clientWith([credential(2, SECRET)])), undefined)
  assert.equal(number(clientWith([credential(1, SECRET, NOW)])), undefined)
  assert.equal(number(clientWith([credential(1, SECRET)], NOW)), undefined)
})
