// A provider whose key set the test sets, and caches in front of it, by a clock that only the test moves.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { Unavailable } from '../../server/src/domain/refusal.ts'
import { makeKeySet } from '../../server/src/keys/providers/key-sets.ts'
import { makeProviderKeyCache } from '../../server/src/keys/providers/provider-key-cache.ts'
import type { KeySetReading } from '../../server/src/keys/providers/provider-key-set.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import type { KeySets } from '../../server/src/ports/key-sets.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const keyNamed = (kid: string): object => ({ ...publicKey.export({ format: 'jwk' }), kid })

export const place = { of: 'provider', issuer: 'https://provider.test', jwksUri: null } as const

export type Find = (kid: string) => Promise<readonly (string | undefined)[]>

/** A provider whose answer the test sets, and the caches of so many threads in front of it. */
export const makeWorldOfThreads = (threads: number, ...kids: readonly string[]) => {
  const world = { now: 0, answer: { jwks: kids.map(keyNamed) } as KeySetReading, readingsAt: [] as number[] }
  const monotonicNow = (): number => world.now
  const read = async (): Promise<KeySetReading> => {
    world.readingsAt.push(world.now)
    return world.answer
  }
  const newest = makeKeySet({ timing: TIMING, read, monotonicNow })
  const latest: KeySets['latest'] = (_place, seenAt) => newest(seenAt)
  const caches = Array.from({ length: threads }, () =>
    makeProviderKeyCache({ timing: TIMING, place, keySets: { latest }, monotonicNow }),
  )
  const finds = caches.map(
    (cache): Find =>
      async kid =>
        (await cache.find(key => key.kid === kid)).map(key => key.kid),
  )
  return { world, finds, cache: caches[0] }
}

export const makeWorld = (...kids: readonly string[]) => {
  const { world, finds } = makeWorldOfThreads(1, ...kids)
  const [find] = finds
  assert.ok(find)
  return { world, find }
}

export const isUnavailable = (reason: string) => (error: unknown) =>
  error instanceof Unavailable &&
  error.message === `The keys of the identity provider https://provider.test cannot be had: ${reason}.`
