// What was found for some items of a group goes back to their places.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { atPlaces } from '../../src/domain/one-by-one.ts'

test('each item that was asked about has what was found for it, and no other has anything', () => {
  const items = fc.array(fc.record({ name: fc.integer(), isAsked: fc.boolean() }))
  fc.assert(
    fc.property(items, all => {
      const found = all.filter(({ isAsked }) => isAsked).map(({ name }) => name)
      const placed = atPlaces(all, ({ isAsked }) => isAsked, found)
      assert.deepEqual(
        placed,
        all.map(({ name, isAsked }) => (isAsked ? name : undefined)),
      )
    }),
  )
})
