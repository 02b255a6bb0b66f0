// Around the store of a list in the order of ids: one record more is read than asked for, and a cursor names the last one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused, type OrRefusal } from '../../src/domain/refusal.ts'
import { type ListPage, readPageById } from '../../src/operations/reading/read-page.ts'
import { makeSecrets } from '../../src/keys/clients/secrets.ts'

const secrets = makeSecrets({ bytes: length => Buffer.alloc(length) })

type Row = { readonly id: string }

const idOf = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`

const read = (count: number, limit: number, cursor: string | null = null): Promise<OrRefusal<ListPage<Row>>> =>
  readPageById({ secrets }, 'credentials', {
    request: { limit, cursor },
    boundTo: ['agent'],
    read: (after, most) => {
      const rows = Array.from({ length: count }, (_, n) => ({ id: idOf(n) }))
      return Promise.resolve(rows.filter(({ id }) => after === null || id > after).slice(0, most))
    },
  })

const pageOf = async (...asked: Parameters<typeof read>): Promise<ListPage<Row>> => {
  const page = await read(...asked)
  if (isRefused(page)) throw new Error(page.refusal.description)
  return page
}

test('a page has a cursor where one record more follows, and none where it is the last', async () => {
  assert.equal((await pageOf(2, 2)).nextCursor, null)
  const { records, nextCursor } = await pageOf(3, 2)
  assert.deepEqual(
    records.map(({ id }) => id),
    [idOf(0), idOf(1)],
  )
  assert.deepEqual(await pageOf(3, 2, nextCursor), { records: [{ id: idOf(2) }], nextCursor: null })
})

test('a cursor whose id is none is refused', async () => {
  const { nextCursor } = await pageOf(3, 2)
  for (const id of ['1', 'x', '', `${idOf(1)}%00`, '%']) {
    assert.ok(isRefused(await read(3, 2, String(nextCursor).replace(idOf(1), id))), id)
  }
})
