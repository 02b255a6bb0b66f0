// What holds for every check of `mintmark doctor`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECK_NAMES } from '../../../api/values/checks.ts'
import { CHECKS, type Check } from '../../src/compose/doctor/checks.ts'
import { findNodeTooOld } from '../../src/compose/doctor/configuration-checks.ts'
import { type DiskSpace, judgeDisk } from '../../src/compose/doctor/file-checks.ts'
import { runChecks } from '../../src/compose/doctor/doctor.ts'
import { splitAdvice, type Subject } from '../../src/compose/doctor/subject.ts'
import { good, warn, worstOf } from '../../src/domain/checkup.ts'

test('every name has one check, in the order of the names', () => {
  assert.deepEqual(
    CHECKS.map(({ name }) => name),
    CHECK_NAMES,
  )
})

const check = (name: Check['name'], run: Check['run']): Check => ({ name, needs: 'settings', isFast: true, run })
const subject = {} as Subject // none of these looks at it

test('a check that hangs, or breaks, is a problem, and the others are reported', async () => {
  const results = await runChecks(
    [
      check('clock', () => new Promise(() => undefined)),
      check('store', () => {
        throw new Error('a fault')
      }),
      check('schema', () => [good('Fine.')]),
    ],
    subject,
    20,
  )
  assert.deepEqual(
    results.map(({ name, findings }) => [name, worstOf(findings), findings[0]?.what]),
    [
      ['clock', 'problem', 'The check did not end within 0.02 s: what it examines hangs.'],
      ['store', 'problem', 'The check itself failed: a fault'],
      ['schema', 'ok', 'Fine.'],
    ],
  )
})

test('the worst finding is that of the check', () => {
  const warning = warn({ what: 'w', remedy: 'r' })
  assert.equal(worstOf([good('g'), warning, good('g')]), 'warning')
  assert.equal(worstOf([good('g')]), 'ok')
})

const GIB = 1_073_741_824

const disk = (change: Partial<DiskSpace>): DiskSpace => ({
  folder: '/data',
  freeBytes: 100 * GIB,
  bytes: 200 * GIB,
  freeFiles: 10,
  files: 100,
  ...change,
})

for (const [what, change, status] of [
  ['half free', {}, 'ok'],
  ['1 GiB of 10', { freeBytes: GIB, bytes: 10 * GIB }, 'ok'],
  ['less than 1 GiB', { freeBytes: GIB - 1, bytes: 10 * GIB }, 'warning'],
  ['5 %', { freeBytes: 10 * GIB }, 'ok'],
  ['less than 5 %', { freeBytes: 10 * GIB - 1 }, 'warning'],
  ['64 MiB', { freeBytes: GIB / 16 }, 'warning'],
  ['less than 64 MiB', { freeBytes: GIB / 16 - 1 }, 'problem'],
  ['no more files', { freeFiles: 0 }, 'problem'],
  ['a file system that does not count files', { freeFiles: 0, files: 0 }, 'ok'],
] as const) {
  test(`a disk with ${what} is ${status}`, () => {
    assert.equal(judgeDisk(disk(change)).status, status)
  })
}

test('a Node is too old below the version that the package needs', () => {
  const wanted = '>=24.15'
  const found = ['22.99.0', '24.14.9', '24.15.0', '24.15.1', '25.0.0', '26.10.0'].map(node =>
    findNodeTooOld(node, wanted),
  )
  assert.deepEqual(found, [true, true, false, false, false, false])
})

test('a message is split into what is wrong and what to do', () => {
  for (const [text, what, remedy] of [
    ['PORT is "0"; expected a whole number', 'PORT is "0".', 'Expected: a whole number.'],
    ["x.db does not exist: run 'mintmark migrate' first.", 'x.db does not exist.', "Run 'mintmark migrate' first."],
    ['It is changed. Restore a backup: now.', 'It is changed.', 'Restore a backup: now.'],
    ['Something is wrong', 'Something is wrong.', 'Correct it as docs/reference/settings.md says.'],
  ] as const) {
    assert.deepEqual(splitAdvice(text), { what, remedy })
  }
})
