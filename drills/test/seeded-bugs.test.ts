// The bank of seeded bugs still fits the program. `npm run bugs` seeds each and runs its test.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gitApply, isGitThere } from '../bank/apply-patch.ts'
import { hasFound } from '../bank/run-test.ts'
import { parseBug, readBugs } from '../bank/seeded-bugs.ts'
import { ROOT } from '../bank/program-copy.ts'

const SEEDED_MIN = 60

const bugs = readBugs()

/** A test that needs git. Where there is none it says so by its name. */
const testGit = (title: string, work: () => void): void => {
  void (isGitThere() ? test(title, work) : test(`${title}: not checked, for git is not there`, () => undefined))
}

test('every seeded bug has a number of its own, a test file that is there, and a title that is in it', () => {
  assert.ok(bugs.length >= SEEDED_MIN, `The bank holds ${bugs.length} bugs.`)
  const numbers = bugs.map(({ path }) => /\/(\d{3,4})-[a-z0-9-]+\.patch$/.exec(path)?.[1])
  assert.equal(new Set(numbers).size, bugs.length)
  assert.ok(!numbers.includes(undefined), 'A patch is bugs/SUBJECT/NNN-name.patch.')
  for (const { path, file, title } of bugs) {
    assert.ok(existsSync(join(ROOT, file)), `${path}: ${file} is not there`)
    assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(title), `${path}: ${file} has no test named ${title}`)
  }
})

test('each bug that the page on drills names is in the bank', () => {
  const rows = readFileSync(join(ROOT, 'docs', 'development', 'drills.md'), 'utf8').matchAll(
    /^\| [^|]+ \| ((?:\d{3,4}, )*\d{3,4}) \|$/gm,
  )
  const named = [...rows].flatMap(([, numbers = '']) => numbers.split(', '))
  assert.ok(named.length > 50, `The page names ${named.length} bugs.`)
  const missing = named.filter(number => !bugs.some(({ path }) => path.includes(`/${number}-`)))
  assert.deepEqual(missing, [])
})

testGit('the patch of every seeded bug applies to the program', () => {
  const failed = bugs.map(({ path }) => gitApply(ROOT, join(ROOT, path), '--check')).filter(one => one !== null)
  assert.deepEqual(failed, [])
})

testGit('no seeded bug was left in the program', () => {
  const left = bugs.filter(({ path }) => gitApply(ROOT, join(ROOT, path), '--check', '--reverse') === null)
  assert.deepEqual(
    left.map(({ path }) => path),
    [],
  )
})

testGit('a patch that does not fit is reported', () => {
  const problem = gitApply(ROOT, join(ROOT, 'bugs', 'none.patch'), '--check')
  assert.match(problem ?? '', /none\.patch/)
})

test('a head with a field missing or unknown is refused', () => {
  const head = ['Bug: b', 'Breaks: P1', 'Test: t.test.ts', 'Title: it does: this']
  const parsed = parseBug('x', [...head, '---', ''].join('\n'))
  assert.deepEqual(parsed, {
    path: 'x',
    bug: 'b',
    breaks: 'P1',
    file: 't.test.ts',
    title: 'it does: this',
    store: 'sqlite',
  })
  for (let n = 0; n < head.length; n += 1) {
    assert.throws(() => parseBug('x', [...head.toSpliced(n, 1), '---', ''].join('\n')), /^Error: x: its head needs/)
  }
  for (const line of ['Store: mysql', 'Tests: t.test.ts']) {
    assert.throws(() => parseBug('x', [...head, line, '---', ''].join('\n')), /^Error: x: its head needs/)
  }
})

test('a bug is found by a failure of its test or a test that does not end, not by a file that cannot be loaded', () => {
  const run = { passed: [], failed: ['suite', 'all is well'], output: '' }
  assert.ok(hasFound(run, { title: 'is well' }))
  assert.ok(!hasFound(run, { title: 'another' }))
  assert.ok(!hasFound({ ...run, failed: ['server/test/x.test.ts'] }, { title: 'is well' }))
  assert.ok(hasFound({ ...run, failed: [], output: 'x.test.ts did not end within 9 s.' }, { title: 'is well' }))
})
