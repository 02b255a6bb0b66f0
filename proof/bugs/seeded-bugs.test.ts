// The bank of seeded bugs still fits the program. `npm run proof bugs` seeds each and runs its test.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ALL_BUGS } from './all-bugs.ts'
import { ROOT } from '../program-copy.ts'
import { obstacleTo, seedBug } from './replace-text.ts'
import { hasFound } from './run-test.ts'

const SEEDED_MIN = 60

test('every seeded bug has a name of its own, a test file that is there, and a title that is in it', () => {
  assert.ok(ALL_BUGS.length >= SEEDED_MIN, `The bank holds ${ALL_BUGS.length} bugs.`)
  assert.equal(new Set(ALL_BUGS.map(({ name }) => name)).size, ALL_BUGS.length)
  for (const { name, test: file, title } of ALL_BUGS) {
    assert.ok(existsSync(join(ROOT, file)), `${name}: ${file} is not there`)
    assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(title), `${name}: ${file} has no test named ${title}`)
  }
})

test('the text that a seeded bug replaces stands in its file exactly once', () => {
  const obstacles = ALL_BUGS.map(bug => [bug.name, obstacleTo(ROOT, bug)]).filter(([, obstacle]) => obstacle !== null)
  assert.deepEqual(obstacles, [])
})

test('a bug is seeded and taken out again, and text that is missing or stands there twice is refused', t => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-seeded-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const read = (): string => readFileSync(join(folder, 'x.ts'), 'utf8')
  writeFileSync(join(folder, 'x.ts'), 'if (a) b()\nif (c) b()\n')
  const remove = seedBug(folder, { file: 'x.ts', from: 'if (a)', to: 'if ($&)' })
  assert.equal(read(), 'if ($&) b()\nif (c) b()\n')
  remove()
  assert.equal(read(), 'if (a) b()\nif (c) b()\n')
  for (const from of ['b()', 'if (d)']) assert.throws(() => seedBug(folder, { file: 'x.ts', from, to: '' }), /times$/)
  assert.throws(() => seedBug(folder, { file: 'x.ts', from: 'if (a)', to: 'if (a)' }), /changes nothing$/)
})

test('a bug is found by a failure of its test or a test that does not end, not by a file that cannot be loaded', () => {
  const run = { passed: [], failed: ['suite', 'all is well'], output: '' }
  assert.ok(hasFound(run, { title: 'is well' }))
  assert.ok(!hasFound(run, { title: 'another' }))
  assert.ok(!hasFound({ ...run, failed: ['server/test/x.test.ts'] }, { title: 'is well' }))
  assert.ok(hasFound({ ...run, failed: [], output: 'x.test.ts did not end within 9 s.' }, { title: 'is well' }))
})
