// The pages of docs/reference/ are as the rows of the code have them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '../../../api/operations.ts'
import { isForLimited } from '../../../site/reference/permissions.ts'
import { WRITTEN_PAGES } from '../../../site/reference/written-pages.ts'
import { readAccessTable } from '../../../testkit/callers/access-table.ts'
import { readFiles, readText } from '../../../testkit/sources/source-files.ts'

for (const [path, write] of Object.entries(WRITTEN_PAGES)) {
  test(`${path} is what npm run reference writes`, async () => assert.equal(readText(path), await write()))
}

test('docs/reference/ has no page that nothing writes', () => {
  const there = readFiles('docs/reference/*.md').map(({ path }) => path)
  assert.deepEqual(
    there.filter(path => !Object.hasOwn(WRITTEN_PAGES, path)),
    [],
  )
})

test('the page of permissions opens to limited keys what the service answers them', () => {
  const promised = readAccessTable()
  const wrong = OPERATIONS.flatMap(({ route, access }) => {
    if (typeof access === 'string') return []
    const cell = promised.get(route)?.get('limited key')
    return (cell === '✓') === isForLimited(access) ? [] : [`${route}: ${cell}`]
  })
  assert.deepEqual(wrong, [])
})
