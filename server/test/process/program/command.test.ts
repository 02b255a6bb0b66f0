// The command's edge, bin/mintmark.js, which any Node may meet: run in a folder of its own beside a stand-in program.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'

const COMMAND = resolve(import.meta.dirname, '../../../bin/mintmark.js')

/** A package as it is installed, whose programs print which of them ran. */
const makePackage = (t: TestContext, programs: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-command-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['bin', 'src', 'dist']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  copyFileSync(COMMAND, join(folder, 'bin/mintmark.js'))
  for (const program of programs) writeFileSync(join(folder, program), `console.log('${program}')`)
  return folder
}

const runAs = (version: string, folder: string): { status: number | null; stdout: string; stderr: string } => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(folder, 'bin/mintmark.js')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

for (const version of ['18.0.0', '20.20.2', '24.14.1']) {
  test(`the command refuses Node ${version} with one line that says what is needed`, t => {
    assert.deepEqual(runAs(version, makePackage(t, ['src/main.ts'])), {
      status: 1,
      stdout: '',
      stderr:
        `mintmark needs Node 24.15 or newer, but this is Node ${version}; install a newer one, ` +
        'or inside a clone run `npx mintmark` or `npm exec mintmark`, which bring their own.\n',
    })
  })
}

for (const version of ['24.15.0', '25.0.0', '26.10.0']) {
  test(`the command runs on Node ${version}`, t => {
    const ran = { status: 0, stdout: 'src/main.ts\n', stderr: '' }
    assert.deepEqual(runAs(version, makePackage(t, ['src/main.ts'])), ran)
  })
}

test('in a clone the command runs the TypeScript, also where there is a built program', t => {
  assert.equal(runAs('26.10.0', makePackage(t, ['src/main.ts', 'dist/main.js'])).stdout, 'src/main.ts\n')
})

test('in a published package, which has no TypeScript, the command runs the built program', t => {
  assert.equal(runAs('26.10.0', makePackage(t, ['dist/main.js'])).stdout, 'dist/main.js\n')
})
