// Where a command keeps its compiled code: in the home of its own user, and nowhere else.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

const runAt = async (home: string | undefined, folder = tmpdir()): Promise<unknown> => {
  const { PATH } = process.env
  const env = { PATH, ...(home !== undefined && { HOME: home }) }
  const options = { cwd: folder, env, timeout: RUN_MS_MAX, killSignal: 'SIGKILL', stdio: 'ignore' } as const
  const [status] = (await once(spawn(process.execPath, [PROGRAM, '--version'], options), 'exit')) as readonly unknown[]
  return status
}

const kept = (home: string): readonly string[] => {
  const folder = join(home, '.cache/mintmark')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('compiled code is kept in the home of the user', async t => {
  const home = makeHome(t)
  assert.equal(await runAt(home), 0)
  assert.equal(kept(home).length, 1)
})

test('a home in which no folder can be made keeps nobody waiting', async t => {
  const file = join(makeHome(t), 'file')
  writeFileSync(file, '')
  const homes = ['/proc', '/nonexistent', '/dev/null', file, '', undefined]
  assert.deepEqual(
    await Promise.all(homes.map(home => runAt(home))),
    homes.map(() => 0),
  )
})

test('nothing is kept, or run, in the working folder, where HOME is empty or relative', async t => {
  const folder = makeHome(t)
  for (const home of ['', '.', 'home']) {
    mkdirSync(join(folder, 'home'), { recursive: true })
    assert.equal(await runAt(home, folder), 0, home)
    assert.deepEqual(readdirSync(folder, { recursive: true }), ['home'], home)
  }
})

test('nothing is kept, or made, in a home in which another user can write', async t => {
  const home = makeHome(t)
  chmodSync(home, 0o1777)
  assert.equal(await runAt(home), 0)
  assert.deepEqual(readdirSync(home), [])
})

test('nothing is kept, or run, where another user can write', async t => {
  const keepsNothing = async (name: string, mode: number): Promise<void> => {
    const home = makeHome(t)
    mkdirSync(join(home, '.cache/mintmark'), { recursive: true })
    chmodSync(join(home, name), mode)
    assert.equal(await runAt(home), 0)
    assert.deepEqual(kept(home), [], `${name} ${mode.toString(8)}`)
  }
  const names = ['.cache', '.cache/mintmark']
  await Promise.all(names.flatMap(name => [0o777, 0o770, 0o702].map(mode => keepsNothing(name, mode))))
})

// Only root can give a folder away.
if (process.getuid?.() === 0) {
  test('nothing is made in the home of another user: a folder there that is not theirs would be in their way', async t => {
    const home = makeHome(t)
    chownSync(home, 12_345, 12_345)
    assert.equal(await runAt(home), 0)
    assert.deepEqual(readdirSync(home), [])
  })

  test('nothing is kept in the home of another user, as under sudo', async t => {
    const home = makeHome(t)
    mkdirSync(join(home, '.cache/mintmark'), { recursive: true })
    chownSync(join(home, '.cache'), 12_345, 12_345)
    assert.equal(await runAt(home), 0)
    assert.deepEqual(kept(home), [])
  })
}
