// Reading a list to its end for a caller: what each page asks for, and who is asked again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Administrator } from '../../src/domain/caller.ts'
import { refuse } from '../../src/domain/refusal.ts'
import { exportPages } from '../../src/operations/reading/export-pages.ts'
import type { ListRequest } from '../../src/operations/reading/read-page.ts'

const EXPORT_PAGE_RECORDS = 250
const KEY: Administrator = { kind: 'api_key', id: 'key', permissions: ['tokens:read'], audiences: null }
const NARROWED: Administrator = { ...KEY, audiences: ['https://a.example'] }
const OPERATOR: Administrator = { kind: 'operator', iss: 'https://idp.example', sub: 'one', role: 'viewer' }
const UNKNOWN = refuse('invalid_request', 'unknown')

/** A list of three pages, and who asked it for what. */
const makeList = () => {
  const asked: { readonly reader: Administrator; readonly request: ListRequest<{ readonly of: string }> }[] = []
  return {
    asked,
    filters: { of: 'all' },
    list: (reader: Administrator, request: ListRequest<{ readonly of: string }>) => {
      asked.push({ reader, request })
      const nextCursor = asked.length === 3 ? null : `after ${asked.length}`
      return Promise.resolve({ records: [asked.length], nextCursor })
    },
  }
}

test('page after page, each from the cursor of the one before, until there is none', async () => {
  const list = makeList()
  const next = exportPages({ reader: OPERATOR, recognize: () => Promise.resolve(OPERATOR) }, list)
  assert.deepEqual(await next(), { records: [1], nextCursor: 'after 1' })
  assert.deepEqual(await next(), { records: [2], nextCursor: 'after 2' })
  assert.deepEqual(await next(), { records: [3], nextCursor: null })
  assert.deepEqual(
    list.asked.map(({ request }) => request),
    [null, 'after 1', 'after 2'].map(cursor => ({ filters: { of: 'all' }, limit: EXPORT_PAGE_RECORDS, cursor })),
  )
})

test('an API key is recognized anew before each page but the first, and reads as what it is then', async () => {
  const list = makeList()
  const answers = [NARROWED, UNKNOWN]
  const next = exportPages({ reader: KEY, recognize: () => Promise.resolve(answers.shift() ?? KEY) }, list)
  await next()
  await next()
  assert.deepEqual(await next(), UNKNOWN)
  assert.deepEqual(
    list.asked.map(({ reader }) => reader),
    [KEY, NARROWED],
  )
})

test('an operator is recognized once', async () => {
  const list = makeList()
  const next = exportPages({ reader: OPERATOR, recognize: () => Promise.resolve(UNKNOWN) }, list)
  for (let n = 0; n < 3; n += 1) await next()
  assert.equal(list.asked.length, 3)
})

test('a refusal of the list is handed on', async () => {
  const next = exportPages(
    { reader: KEY, recognize: () => Promise.resolve(KEY) },
    { filters: {}, list: () => Promise.resolve(UNKNOWN) },
  )
  assert.deepEqual(await next(), UNKNOWN)
})
