// deploy/executable: the program of the single executable is unpacked whole, once, and only where no other user can replace it.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { unpack } from '../../../deploy/executable/unpack.ts'

const CONTENT = Buffer.from('import(1)\nbody')
const FILES = [
  ['start.cjs', 10],
  ['node_modules/a/b.js', 4],
] as const
const PRIVATE = 0o700

const buildWith = (readContent: () => Buffer) => ({ name: 'program-1', files: FILES, readContent })
const build = buildWith(() => CONTENT)
const unread = buildWith(() => assert.fail('It was unpacked again.'))

/** An empty home, and the shared folder of the machine for temporary files. */
const makeSurroundings = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-unpack-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [home, temporary] = [join(folder, 'home'), join(folder, 'temporary')]
  mkdirSync(home, { mode: PRIVATE })
  mkdirSync(temporary)
  chmodSync(temporary, 0o1777)
  return { env: {}, home, temporary }
}

const shared = (temporary: string): string => join(temporary, `mintmark-${process.getuid?.()}`)

test('the program is unpacked once, below the home of the user, and only the user may read it', t => {
  const surroundings = makeSurroundings(t)
  const folder = unpack(build, surroundings)
  assert.equal(folder, join(surroundings.home, '.cache/mintmark/program-1'))
  assert.equal(readFileSync(join(folder, 'start.cjs'), 'utf8'), 'import(1)\n')
  assert.equal(readFileSync(join(folder, 'node_modules/a/b.js'), 'utf8'), 'body')
  assert.equal(statSync(folder).mode & 0o777, PRIVATE)
  assert.equal(unpack(unread, surroundings), folder)
  assert.deepEqual(readdirSync(join(folder, '..')), ['program-1'])
})

test("the folders of systemd and of the user's settings come before the home; a relative one is passed over", t => {
  const surroundings = makeSurroundings(t)
  const { home } = surroundings
  const unpackFor = (env: NodeJS.ProcessEnv) => unpack(build, { ...surroundings, env })
  assert.equal(unpackFor({ CACHE_DIRECTORY: `${home}:/other`, XDG_CACHE_HOME: '/other' }), join(home, 'program-1'))
  assert.equal(unpackFor({ XDG_CACHE_HOME: home }), join(home, 'mintmark/program-1'))
  assert.equal(unpackFor({ XDG_CACHE_HOME: 'cache' }), join(home, '.cache/mintmark/program-1'))
})

test('a file that is cut or missing is unpacked again, and what was left of the folder is kept for processes that run it', t => {
  const surroundings = makeSurroundings(t)
  const folder = unpack(build, surroundings)
  truncateSync(join(folder, 'start.cjs'))
  utimesSync(folder, 1, 1)
  assert.equal(unpack(build, surroundings), folder)
  assert.equal(readFileSync(join(folder, 'start.cjs'), 'utf8'), 'import(1)\n')
  const [, aside = ''] = readdirSync(join(folder, '..')).toSorted()
  unpack({ ...build, name: 'program-2' }, surroundings)
  assert.ok(existsSync(join(folder, '..', aside, 'start.cjs')), aside)
  utimesSync(join(folder, '..', aside), 1, 1)
  rmSync(join(folder, 'start.cjs'))
  unpack(build, surroundings)
  assert.ok(!existsSync(join(folder, '..', aside)), 'A folder left an hour ago is removed.')
})

test('of the folder that it is given, only what an unpacking left is removed', t => {
  const { home, temporary } = makeSurroundings(t)
  const names = ['download.partial', 'program-1.partial']
  for (const name of names) {
    writeFileSync(join(home, name), '')
    utimesSync(join(home, name), 1, 1)
  }
  unpack(build, { env: { CACHE_DIRECTORY: home }, home, temporary })
  assert.deepEqual(readdirSync(home).toSorted(), [names[0], 'program-1', names[1]])
})

test('a process that unpacks beside another uses what the other finished', t => {
  const surroundings = makeSurroundings(t)
  const folders: string[] = []
  const beside = buildWith(() => {
    folders.push(unpack(build, surroundings))
    return CONTENT
  })
  folders.push(unpack(beside, surroundings))
  assert.equal(new Set(folders).size, 1)
  assert.deepEqual(readdirSync(join(folders[0] ?? '', '..')), ['program-1'])
})

test('a home that others may write to is passed over, and the shared folder serves', t => {
  const surroundings = makeSurroundings(t)
  chmodSync(surroundings.home, 0o777)
  assert.equal(unpack(build, surroundings), join(shared(surroundings.temporary), 'program-1'))
  assert.deepEqual(readdirSync(surroundings.home), [], 'Nothing is made there.')
})

test('so is a home below a folder in which others may rename it', t => {
  const surroundings = makeSurroundings(t)
  const open = join(surroundings.home, 'open')
  const home = join(open, 'home')
  mkdirSync(home, { recursive: true, mode: PRIVATE })
  chmodSync(open, 0o777)
  assert.equal(unpack(build, { ...surroundings, home }), join(shared(surroundings.temporary), 'program-1'))
  assert.deepEqual(readdirSync(home), [])
})

test('so is a place behind a link that others may replace, or that leads through a folder in which they may', t => {
  const surroundings = makeSurroundings(t)
  const { home, temporary } = surroundings
  const open = join(home, 'open')
  const [behind, within] = [join(home, 'behind'), join(open, 'within')]
  for (const folder of [open, behind, within]) mkdirSync(folder, { mode: PRIVATE })
  symlinkSync(behind, join(open, 'link'))
  symlinkSync(join(open, 'link'), join(home, 'twice'))
  symlinkSync(within, join(home, '.cache'))
  chmodSync(open, 0o777)
  for (const place of [join(open, 'link'), join(home, 'twice')])
    for (const name of ['CACHE_DIRECTORY', 'XDG_CACHE_HOME'])
      assert.equal(unpack(build, { ...surroundings, env: { [name]: place } }), join(shared(temporary), 'program-1'))
  assert.deepEqual(
    [behind, within].map(folder => readdirSync(folder)),
    [[], []],
  )
})

test('a link of the user serves, and what runs is what it led to', t => {
  const surroundings = makeSurroundings(t)
  const behind = join(surroundings.home, 'behind')
  mkdirSync(behind, { mode: PRIVATE })
  symlinkSync('behind', join(surroundings.home, '.cache'))
  assert.equal(unpack(build, surroundings), join(behind, 'mintmark/program-1'))
  assert.equal(unpack(unread, surroundings), join(behind, 'mintmark/program-1'))
})

test('where no place serves the error names each with its reason', t => {
  const { temporary } = makeSurroundings(t)
  const target = join(temporary, 'target')
  mkdirSync(target, { mode: PRIVATE })
  symlinkSync(target, shared(temporary))
  const file = join(temporary, 'file')
  writeFileSync(file, '')
  const unpackNowhere = () => unpack(build, { env: { XDG_CACHE_HOME: '/nowhere' }, home: file, temporary })
  assert.throws(unpackNowhere, (fault: Error) => {
    assert.match(fault.message, /needs a folder with 1 MB that only this user writes to/)
    assert.match(fault.message, /\/nowhere\/mintmark: ENOENT/)
    assert.match(fault.message, /file\/\.cache\/mintmark: ENOTDIR/)
    assert.match(fault.message, /mintmark-\d+ is not a folder/)
    return true
  })
  assert.deepEqual(readdirSync(target), [])
})
