// The bank of bugs fits the tree: each patch still applies, and the test that catches it is there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readBugs, ROOT } from '../bugs/read-bugs.ts'

const bugs = readBugs()

test('each bug applies to the tree by itself, and is caught by a test that is there', () => {
  const wrong = bugs.filter(({ patch, test: file }) => {
    const { status } = spawnSync('git', ['apply', '--check', patch], { cwd: ROOT })
    return status !== 0 || !existsSync(join(ROOT, file))
  })
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
    'Make its patch again, or name the test that catches it.',
  )
})

test('there are at least 60 bugs, each with a name of its own', () => {
  assert.ok(bugs.length >= 60)
  assert.equal(new Set(bugs.map(({ name }) => name)).size, bugs.length)
})
