// Introspection of a group: what it asks of the store, and when.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKey } from '../../src/domain/clients/api-key.ts'
import { type IntrospectPorts, introspectTokens } from '../../src/operations/tokens/introspect-tokens.ts'
import type { TokenReference } from '../../src/ports/token-codec.ts'

const KEY: ApiKey = {
  id: 'key',
  name: 'a resource server',
  permissions: ['tokens:introspect'],
  audiences: null,
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  suspendedAt: null,
}

const FOREIGN = 'a text that is no token of ours'

/** A store that knows no token, and one key; `asked` has the order in which it was asked. */
const makePorts = (wasFound: readonly string[]) => {
  const asked: string[] = []
  const ports = {
    secrets: { hash: (text: string) => text, areEqual: () => false },
    codec: {
      read: (text: string): TokenReference | undefined =>
        text === FOREIGN ? undefined : { id: text, lifetimeSeconds: 300, digest: '' },
    },
    apiKeys: {
      find: async (hashes: readonly string[], meanwhile?: (wereFound: readonly boolean[]) => void) => {
        meanwhile?.(hashes.map(hash => wasFound.includes(hash)))
        asked.push(`keys ${hashes.join(' ')}`)
        await Promise.resolve()
        return hashes.map(hash => (hash === 'good' ? KEY : undefined))
      },
    },
    ledger: {
      find: async (references: readonly ({ readonly id: string } | undefined)[]) => {
        asked.push(`tokens ${references.map(reference => reference?.id ?? 'elsewhere').join(' ')}`)
        return references.map(() => undefined)
      },
    },
    profile: { issuer: 'https://issuer.example' },
    usage: { afterAnswers: () => undefined },
  }
  return { asked, ports: ports as unknown as IntrospectPorts }
}

const ask = (ports: IntrospectPorts, ...pairs: readonly (readonly [key: string, token: string])[]) =>
  introspectTokens(
    ports,
    pairs.map(([key, token]) => ({ apiKey: { key, id: null }, token })),
  )

const codeOf = (answer: Awaited<ReturnType<typeof introspectTokens>>[number] | undefined): unknown =>
  answer !== undefined && 'refusal' in answer ? answer.refusal.code : answer

test('a token of a key that was found lately is looked up with the key, before the answer', async () => {
  const { asked, ports } = makePorts(['good'])
  assert.deepEqual(await ask(ports, ['good', 'a'], ['good', 'b']), [{ active: false }, { active: false }])
  assert.deepEqual(asked, ['tokens a b', 'keys good good'])
})

test('a key that nobody knows costs no look-up, beside others too', async () => {
  const { asked, ports } = makePorts([])
  const answers = await ask(ports, ['bad', 'a'], ['good', 'b'])
  assert.deepEqual(answers.map(codeOf), ['invalid_client', { active: false }])
  assert.deepEqual(asked, ['keys bad good', 'tokens b'])
  const other = makePorts([])
  assert.deepEqual((await ask(other.ports, ['bad', 'a'])).map(codeOf), ['invalid_client'])
  assert.deepEqual(other.asked, ['keys bad'])
})

test('a key that was found lately and is live no more is refused, whatever was looked up for it', async () => {
  const { asked, ports } = makePorts(['gone'])
  assert.deepEqual((await ask(ports, ['gone', 'a'])).map(codeOf), ['invalid_client'])
  assert.deepEqual(asked, ['tokens a', 'keys gone'])
})

test('a text that cannot be a token of ours costs a look-up as any other, and no answer goes to another request', async () => {
  const { asked, ports } = makePorts(['good'])
  assert.deepEqual(await ask(ports, ['good', FOREIGN], ['good', 'b'], ['new', FOREIGN]), [
    { active: false },
    { active: false },
    { refusal: (await ask(ports, ['new', 'c']).then(([one]) => one as { readonly refusal: object })).refusal },
  ])
  assert.deepEqual(asked.slice(0, 2), ['tokens elsewhere b', 'keys good good new'])
})

test('digests and audiences are compared whatever was found, and what was not found is inactive', async () => {
  const { ports } = makePorts(['good'])
  const compared: string[] = []
  const areEqual = (one: string, other: string): boolean => {
    compared.push(`${one.length} ${other.length}`)
    return true
  }
  const secrets = { ...ports.secrets, areEqual }
  assert.deepEqual(await ask({ ...ports, secrets }, ['good', FOREIGN], ['good', 'b']), [
    { active: false },
    { active: false },
  ])
  assert.deepEqual(compared, ['32 32', '0 32'])
})
