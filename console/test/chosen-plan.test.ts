// What would end with chosen tokens: all that was got for them, also in trees longer than a page, and when a plan is outgrown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOutgrown, planAmong, planOf } from '../src/tokens/chosen-plan.ts'

const live = (id: string, parent: string | null, depth: number) => ({ id, parent_id: parent, depth })

const idsIn = ({ chosen, below }: ReturnType<typeof planAmong>): string =>
  [chosen, below].map(tokens => tokens.map(({ id }) => id).join('')).join(' ')

test('with chosen tokens end those that were got for them, not their parents or siblings', () => {
  const tree = [live('d', 'c', 3), live('a', null, 0), live('c', 'b', 2), live('b', 'a', 1), live('e', 'a', 1)]
  assert.equal(idsIn(planAmong(new Set(['b']), tree)), 'b dc')
  assert.equal(idsIn(planAmong(new Set(['a', 'c', 'gone']), tree)), 'ac dbe')
})

/** The plan of a tree whose root is `a`, of which a page has so many. */
const planFor = (chosen: string, tree: readonly ReturnType<typeof live>[], pageLength = 100) => {
  const newestFirst = tree.map(token => ({ ...token, root_id: 'a' })).toReversed()
  const asked = chosen.split('').map(id => ({ ...live(id, null, 0), root_id: 'a' }))
  return planOf(asked, {
    tree: async () => ({ newest: newestFirst.slice(0, pageLength), isWhole: newestFirst.length <= pageLength }),
    live: async id => newestFirst.find(token => token.id === id),
  })
}

const TREE = [live('a', null, 0), live('b', 'a', 1), live('c', 'b', 2), live('d', 'a', 1)]

test('of a tree that is longer than a page the chosen end, however old they are, and those that ended meanwhile are left out', async () => {
  const plan = await planFor('abx', TREE, 2)
  assert.deepEqual([idsIn(plan), plan.isExact], ['ab dc', false])
  const whole = await planFor('bx', TREE)
  assert.deepEqual([idsIn(whole), whole.isExact], ['b c', true])
})

test('an exact plan is outgrown by what was got for the chosen since, also where it shows no more', async () => {
  const plan = await planFor('a', TREE)
  assert.equal(isOutgrown(plan, plan), false)
  assert.equal(isOutgrown(plan, await planFor('a', TREE.slice(0, 2))), false)
  const grown = [...TREE, live('e', 'd', 2)]
  assert.equal(isOutgrown(plan, await planFor('a', grown)), true)
  assert.equal(isOutgrown(await planFor('b', TREE), await planFor('b', grown)), false)
  assert.equal(isOutgrown(plan, await planFor('a', grown, 1)), true)
  assert.equal(isOutgrown(await planFor('a', TREE, 2), await planFor('a', grown, 2)), false)
})
