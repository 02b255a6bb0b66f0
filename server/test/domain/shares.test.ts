// What is under way of each caller and in all, by counts that follow every permit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { makeShares, type Permit } from '../../src/domain/shares.ts'

const KEYS = ['a', 'b', 'c'] as const

test('what is counted of each key, and in all, is what was taken and not released', () => {
  const steps = fc.array(fc.record({ key: fc.constantFrom(...KEYS), released: fc.option(fc.nat({ max: 5 })) }))
  fc.assert(
    fc.property(steps, all => {
      const shares = makeShares()
      const taken: { readonly key: string; readonly permit: Permit }[] = []
      for (const { key, released } of all) {
        if (released === null) taken.push({ key, permit: shares.take(key) })
        else for (const { permit } of taken.splice(released, 1)) permit.release()
        assert.equal(shares.all(), taken.length)
        for (const one of KEYS) assert.equal(shares.of(one), taken.filter(other => other.key === one).length)
      }
    }),
    { numRuns: 200 },
  )
})
