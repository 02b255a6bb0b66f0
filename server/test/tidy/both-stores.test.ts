// A test runs on PostgreSQL by reason: each port has one file that both stores must pass, and what else runs there is listed with why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFORMANCE, CONTRACT, IN_C, STORE } from '../postgres/both-stores/on-postgres.ts'
import { isThere, nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const others = [STORE, CONTRACT].flatMap(Object.values).flat() as readonly string[]
const all = [...Object.values(CONFORMANCE), ...others]

test('what runs on PostgreSQL is there, and stands in the list once', () => {
  nothing(
    [...all, ...IN_C].filter(path => !isThere(`server/test/${path}.test.ts`)),
    'There is no such test any more.',
  )
  assert.deepEqual(all.toSorted(), [...new Set(all)].toSorted())
})

test('what is said of a reason names code that is there', () => {
  const named = [STORE, CONTRACT]
    .flatMap(Object.keys)
    .flatMap(reason => reason.match(/\b(?:hot|writer|offline)\/[\w-]+/g) ?? [])
  assert.ok(named.length >= 5)
  const files = readFiles('server/src/store/**/*.ts').map(({ path }) => path)
  nothing(
    named.filter(name => !files.some(path => path.includes(name))),
    'A reason names a part of server/src/store.',
  )
})
