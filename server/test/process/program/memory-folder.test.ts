// A run of the tests has its temporary files in memory where there is room, elsewhere on the disk, and leaves nothing in memory.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { folderOf, isFit, MEMORY } from '../../suites/memory-folder.ts'

const SETUP = resolve(import.meta.dirname, '../../suites/memory-folder.ts')

const makeFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-memory-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs a file of one test, which says where its temporary files are. */
const placeOf = (t: TestContext, variables: Readonly<Record<string, string>>): string => {
  const folder = makeFolder(t)
  const file = join(folder, 'says.test.mjs')
  const said = join(folder, 'said')
  const write = `writeFileSync(${JSON.stringify(said)}, tmpdir())`
  writeFileSync(file, `import { tmpdir } from 'node:os'\nimport { writeFileSync } from 'node:fs'\n${write}`)
  const { NODE_TEST_CONTEXT: _, TMPDIR: _folder, ...env } = process.env
  const options = { env: { ...env, ...variables }, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync(process.execPath, [`--test-global-setup=${SETUP}`, '--test', file], options)
  assert.equal(status, 0, stdout)
  return readFileSync(said, 'utf8')
}

test('a run writes to a folder that somebody names', t => {
  const folder = makeFolder(t)
  assert.equal(placeOf(t, { TMPDIR: folder }), folder)
  assert.deepEqual(readdirSync(folder), [])
})

test('a run writes to the disk where there is no such memory', t => {
  const folder = makeFolder(t)
  for (const memory of [join(folder, 'missing'), '/proc', '']) {
    assert.equal(placeOf(t, { TEST_MEMORY_FOLDER: memory }), '/tmp', memory)
  }
  assert.deepEqual(readdirSync(folder), [])
})

// Not every machine has it.
if (isFit(MEMORY)) {
  test('a run writes to memory, removes what it wrote, and what a killed run left', t => {
    // A part of it: beside this test a run has its folder there.
    const memory = mkdtempSync(join(MEMORY, 'mintmark-memory-folder-'))
    t.after(() => rmSync(memory, { recursive: true }))
    const { pid } = spawnSync(process.execPath, ['--version'])
    const [left, other] = [folderOf(memory, pid), folderOf(memory, process.pid)]
    const elsewhere = join(memory, `mintmark-tests-1-${pid}`)
    for (const folder of [left, other, elsewhere]) mkdirSync(join(folder, 'within'), { recursive: true })
    const place = placeOf(t, { TEST_MEMORY_FOLDER: memory })
    assert.equal(dirname(place), memory)
    assert.equal(existsSync(place), false)
    assert.equal(existsSync(left), false)
    assert.equal(existsSync(other), true, 'What is of a running process stays.')
    assert.equal(existsSync(elsewhere), true, 'What is of another container stays.')
  })
}
