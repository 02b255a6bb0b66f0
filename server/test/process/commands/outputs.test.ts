// Where a command writes: a file is there whole and keeps its mode, a link stays a link, and a pipe or a device is written to.
import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import {
  freePorts,
  KEY,
  makeFolder,
  PROGRAM,
  run,
  runShell,
  type Scope,
  scopeOfFile,
  start,
} from '../../../../testkit/commands/run-mintmark.ts'

const MINTMARK = `'${process.execPath}' '${PROGRAM}'`
const KEYED = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
const EXPORT = 'audit export --output'

const makeWorld = (t: Scope) => {
  const folder = makeFolder(t)
  for (const args of ['migrate', 'agent create --name a --scope db:read'])
    assert.equal(run(folder, args.split(' '), KEYED).status, 0)
  const exported = run(folder, ['audit', 'export'], KEYED).stdout
  assert.match(exported, /agent\.create/)
  const shell = (line: string) => runShell(folder, line.replaceAll('mintmark', MINTMARK), KEYED)
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  return { folder, exported, shell, read }
}

let world: ReturnType<typeof makeWorld>

const scope = scopeOfFile()

before(() => {
  world = makeWorld(scope)
})

const ended = ({ status, stderr }: { readonly status: number | null; readonly stderr: string }) => ({ status, stderr })
const DONE = { status: 0, stderr: '' }

test('an export goes into a pipe of the shell, a FIFO, a device, and standard output where it stands', () => {
  const { exported, shell, read, folder } = world
  assert.deepEqual(ended(shell(`mintmark ${EXPORT} >(gzip >a.gz); wait $!`)), DONE)
  assert.equal(shell('gunzip -c a.gz').stdout, exported)
  assert.deepEqual(ended(shell(`mkfifo pipe; cat pipe >b & mintmark ${EXPORT} pipe; wait`)), DONE)
  assert.equal(read('b'), exported)
  assert.ok(lstatSync(join(folder, 'pipe')).isFIFO())
  assert.deepEqual(ended(shell(`mintmark ${EXPORT} /dev/null`)), DONE)
  assert.ok(lstatSync('/dev/null').isCharacterDevice())
  assert.deepEqual(ended(shell(`echo first >c; mintmark ${EXPORT} /dev/stdout >>c`)), DONE)
  assert.equal(read('c'), `first\n${exported}`)
})

test('a link stays and its file is replaced or made; a file that is there keeps its mode; nothing else is left', () => {
  const { exported, shell, read, folder } = world
  const place = join(folder, 'links')
  mkdirSync(join(place, 'real'), { recursive: true })
  writeFileSync(join(place, 'real/old'), 'old')
  chmodSync(join(place, 'real/old'), 0o640)
  for (const name of ['old', 'new']) symlinkSync(`real/${name}`, join(place, name))
  for (const name of ['old', 'new']) {
    assert.deepEqual(ended(shell(`mintmark ${EXPORT} links/${name}`)), DONE)
    assert.ok(lstatSync(join(place, name)).isSymbolicLink())
    assert.equal(read(`links/real/${name}`), exported)
  }
  const modes = ['old', 'new'].map(name => statSync(join(place, 'real', name)).mode & 0o777)
  assert.deepEqual(modes, [0o640, 0o600])
  assert.deepEqual(readdirSync(join(place, 'real')).toSorted(), ['new', 'old'])
})

test('what cannot be written is refused before the service is asked for anything', () => {
  const { shell } = world
  for (const [place, line] of [
    ['.', /\. is a folder: name a file in it\.$/],
    ['nowhere/', /"nowhere\/" names no file/],
    ['nowhere/file', /The folder .*nowhere does not exist: make it first\.$/],
    ['/dev/fd/77', /\/dev\/fd\/77 is not open in this process/],
    ['/proc/x', /"\/proc\/x" was not written: ENOENT/],
  ] as const) {
    // Nothing listens there: what asks first reports that.
    const { status, stderr } = shell(`MINTMARK_API_KEY=x mintmark ${EXPORT} '${place}' --url http://127.0.0.1:1`)
    assert.deepEqual([status, stderr.trim().split('\n').length], [1, 1], stderr)
    assert.match(stderr.trim(), line)
  }
})

test('an export replaces no file of the store that it reads, by whatever name', () => {
  const { folder } = world
  symlinkSync('.mintmark/mintmark.db', join(folder, 'store'))
  for (const place of ['.mintmark/mintmark.db', 'store', '.mintmark/mintmark.db-wal']) {
    const { status, stderr } = run(folder, [...EXPORT.split(' '), place], KEYED)
    assert.match(stderr, /is a file of a store that is in use: name another\.\n$/)
    assert.equal(status, 1)
  }
  assert.equal(run(folder, ['agent', 'list'], KEYED).status, 0)
})

test('a backup goes into a pipe whole, also of a reader that is slow', () => {
  const { shell, folder } = world
  assert.equal(shell('set -o pipefail; mintmark backup /dev/stdout | (sleep 0.5; cat >slow.db)').status, 0)
  // More than a pipe holds.
  assert.ok(statSync(join(folder, 'slow.db')).size > 65_536)
  assert.equal(shell('mintmark backup verify slow.db').status, 0)
  const { status, stderr } = shell(
    'mintmark backup >(cat >piped.db) && wait $! && MINTMARK_DATA_DIR=from-pipe mintmark restore piped.db --yes',
  )
  assert.deepEqual({ status, stderr }, DONE)
  assert.equal(shell('MINTMARK_DATA_DIR=from-pipe mintmark agent list --json').status, 0)
  assert.equal(shell('mintmark backup verify piped.db').status, 0)
  const mixed = shell('mintmark backup /dev/stdout >out.db && MINTMARK_DATA_DIR=from-out mintmark restore out.db --yes')
  assert.match(mixed.stderr, /^\/dev\/stdout holds the store as of/)
  assert.equal(mixed.status, 0, mixed.stderr)
})

test('dev writes its secrets through a link and lets nobody else read them', async t => {
  const folder = makeFolder(t)
  const place = join(folder, 'data/.mintmark')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(folder, 'linked.env'), '')
  chmodSync(join(folder, 'linked.env'), 0o644)
  symlinkSync('../../linked.env', join(place, 'dev.env'))
  const [port, providerPort] = await freePorts()
  const variables = { MINTMARK_DATA_DIR: place, PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) }
  await (await start(t, folder, { args: ['dev'], variables, ready: /CLIENT_ID/ })).stop()
  assert.ok(lstatSync(join(place, 'dev.env')).isSymbolicLink())
  assert.match(readFileSync(join(folder, 'linked.env'), 'utf8'), /CLIENT_SECRET/)
  assert.equal(statSync(join(folder, 'linked.env')).mode & 0o777, 0o600)
})
