// The next signing key, which is made in the background: a fault of the maker or of the store is reported, ends nothing, and
// does not keep a later one from being made. docs/development/background-work.md has the table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { BackgroundTask } from '../../../src/store/background.ts'
import { supplyKeys } from '../../../src/store/signing-keys/key-scheduler.ts'
import { someSigningKey } from '../../../../testkit/stores/store.ts'

const passTurns = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
}

/** Each of the two does what it is given, once; then both are well. */
const makeWorld = () => {
  const faulty: { make?: () => Promise<never>; keep?: () => Promise<never> } = {}
  const seen = { made: 0, kept: 0 }
  const faults: (readonly [BackgroundTask, string])[] = []
  const maker = {
    make: async () => {
      seen.made += 1
      const { make } = faulty
      delete faulty.make
      return make === undefined ? someSigningKey() : make()
    },
  }
  const createNext = async () => {
    const { keep } = faulty
    delete faulty.keep
    if (keep !== undefined) return keep()
    seen.kept += 1
    return 'made' as never // nobody reads it
  }
  const wanted = supplyKeys({
    maker,
    signingKeys: Promise.resolve({ createNext }),
    onFault: (task, fault) => void faults.push([task, (fault as Error).message]),
  })
  return { faulty, seen, faults, wanted }
}

test('an error of the maker or of the store is reported by its task, and the next key is made when it is wanted again', async () => {
  for (const part of ['make', 'keep'] as const) {
    const { faulty, seen, faults, wanted } = makeWorld()
    faulty[part] = () => Promise.reject(new Error('a bug'))
    wanted()
    await passTurns()
    assert.deepEqual(faults, [['new signing key', 'a bug']])
    assert.equal(seen.kept, 0)
    wanted()
    await passTurns()
    assert.equal(seen.kept, 1)
  }
})

test('a store that is full, read-only, slow or gone is no fault of the task, which goes on once it is well', async () => {
  const { faulty, seen, faults, wanted } = makeWorld()
  faulty.keep = () => Promise.reject(new Unavailable('The disk is full.'))
  wanted()
  await passTurns()
  assert.deepEqual([faults, seen.kept], [[], 0])
  wanted()
  await passTurns()
  assert.equal(seen.kept, 1)
})

test('while one hangs no other is made, however often it is wanted', async () => {
  const { faulty, seen, wanted } = makeWorld()
  const hanging = Promise.withResolvers<never>()
  faulty.keep = () => hanging.promise
  for (let n = 0; n < 10; n += 1) wanted()
  await passTurns()
  assert.equal(seen.made, 1)
  hanging.reject(new Unavailable('The store did not answer in time.'))
  await passTurns()
  wanted()
  await passTurns()
  assert.deepEqual([seen.made, seen.kept], [2, 1])
})
