// Where a command keeps its compiled code: in the home of its own user, and nowhere else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'

const PROGRAM = resolve(import.meta.dirname, '../../../src/main.ts')
const RUN_MS_MAX = 60_000

const makeHome = (t: TestContext): string => {
  const home = mkdtempSync(join(tmpdir(), 'mintmark-home-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const runAt = (home: string | undefined, folder = tmpdir()): number | null => {
  const { PATH } = process.env
  const env = { PATH, ...(home !== undefined && { HOME: home }) }
  const options = { cwd: folder, env, timeout: RUN_MS_MAX, killSignal: 'SIGKILL' } as const
  return spawnSync(process.execPath, [PROGRAM, '--version'], options).status
}

const kept = (home: string): readonly string[] => {
  const folder = join(home, '.cache/mintmark')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('compiled code is kept in the home of the user', t => {
  const home = makeHome(t)
  assert.equal(runAt(home), 0)
  assert.equal(kept(home).length, 1)
})

test('a home in which no folder can be made keeps nobody waiting', t => {
  const file = join(makeHome(t), 'file')
  writeFileSync(file, '')
  for (const home of ['/proc', '/nonexistent', '/dev/null', file, '', undefined])
    assert.equal(runAt(home), 0, String(home))
})

test('nothing is kept, or run, in the working folder, where HOME is empty or relative', t => {
  const folder = makeHome(t)
  for (const home of ['', '.', 'home']) {
    mkdirSync(join(folder, 'home'), { recursive: true })
    assert.equal(runAt(home, folder), 0, home)
    assert.deepEqual(readdirSync(folder, { recursive: true }), ['home'], home)
  }
})

test('nothing is kept, or made, in a home in which another user can write', t => {
  const home = makeHome(t)
  chmodSync(home, 0o1777)
  assert.equal(runAt(home), 0)
  assert.deepEqual(readdirSync(home), [])
})

test('nothing is kept, or run, where another user can write', t => {
  for (const name of ['.cache', '.cache/mintmark']) {
    for (const mode of [0o777, 0o770, 0o702]) {
      const home = makeHome(t)
      mkdirSync(join(home, '.cache/mintmark'), { recursive: true })
      chmodSync(join(home, name), mode)
      assert.equal(runAt(home), 0)
      assert.deepEqual(kept(home), [], `${name} ${mode.toString(8)}`)
    }
  }
})

// Only root can give a folder away.
if (process.getuid?.() === 0) {
  test('nothing is made in the home of another user: a folder there that is not theirs would be in their way', t => {
    const home = makeHome(t)
    chownSync(home, 12_345, 12_345)
    assert.equal(runAt(home), 0)
    assert.deepEqual(readdirSync(home), [])
  })

  test('nothing is kept in the home of another user, as under sudo', t => {
    const home = makeHome(t)
    mkdirSync(join(home, '.cache/mintmark'), { recursive: true })
    chownSync(join(home, '.cache'), 12_345, 12_345)
    assert.equal(runAt(home), 0)
    assert.deepEqual(kept(home), [])
  })
}
