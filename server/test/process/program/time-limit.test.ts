// A test file that does not end is ended and fails by its name, whether it waits for something or computes for ever.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const LIMIT = resolve(import.meta.dirname, '../../suites/time-limit.ts')

const ENDLESS = {
  'waits.test.mjs': 'setInterval(() => undefined, 1000)',
  'computes.test.mjs': 'setTimeout(() => { for (;;); }, 10)',
}

test('a file that does not end is ended and named', t => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-endless-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const files = Object.entries(ENDLESS).map(([name, code]) => {
    writeFileSync(join(folder, name), code)
    return join(folder, name)
  })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const options = { env: { ...env, TEST_FILE_SECONDS_MAX: '0.5' }, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', LIMIT, '--test', '--test-concurrency=2', ...files],
    options,
  )
  assert.equal(status, 1)
  for (const file of files) assert.ok(stdout.includes(`${file} did not end within 0.5 s.`), stdout)
})
