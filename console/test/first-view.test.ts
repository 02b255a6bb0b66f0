// What a browser loads before it shows the first screen: small enough for a slow connection.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

const BUILT = join(import.meta.dirname, '../../server/console')
const FIRST_VIEW_BYTES_MAX = 150_000

test('the page and all that it names are at most 150 kB, compressed', () => {
  const page = readFileSync(join(BUILT, 'index.html'))
  const named = [...page.toString().matchAll(/\b(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.deepEqual([named.some(path => path.endsWith('.js')), named.some(path => path.endsWith('.css'))], [true, true])
  const bytes = [page, ...named.map(path => readFileSync(join(BUILT, path)))].map(file => gzipSync(file).length)
  const total = bytes.reduce((sum, size) => sum + size, 0)
  assert.ok(total <= FIRST_VIEW_BYTES_MAX, `${total} bytes: ${named.join(', ')}`)
})
