// mintmark migrate, clock reset and the refusals of serve to start, run as a person runs them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../src/store/sqlite/connection/database.ts'
import { idOfBytes } from '../../../src/store/rows.ts'
import { fetchDescribed, postForm } from '../../../../testkit/services/fetch-described.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../../../testkit/keys/loopback-certificate.ts'
import {
  freePorts,
  KEY,
  makeFolder,
  occupyPort,
  PROGRAM,
  run,
  runAlone,
  runShell,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { openBeside } from '../../../../testkit/stores/store-file.ts'

const KEYED: Variables = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }

const serving = (port: number): Variables => ({
  ...KEYED,
  MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
  MINTMARK_IDP_ISSUER: 'https://login.example.com',
  MINTMARK_IDP_AUDIENCE: 'mintmark',
  HOST: '127.0.0.1',
  PORT: String(port),
  MINTMARK_WORKERS: '1',
  MINTMARK_DRAIN_SECONDS: '0',
})

const assertOneLine = (ended: ReturnType<typeof run>, message: RegExp, expected = 1): void => {
  const { status, stdout, stderr } = ended
  assert.equal(status, expected, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, message)
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
}

test('migrate makes the store once; a second run changes nothing', t => {
  const folder = makeFolder(t)
  const first = JSON.parse(run(folder, ['migrate', '--json'], KEYED).stdout) as { from: number; to: number }
  assert.ok(first.from === 0 && first.to > 0)
  assert.deepEqual(JSON.parse(run(folder, ['migrate', '--json'], KEYED).stdout), { from: first.to, to: first.to })
  assert.equal(statSync(join(folder, '.mintmark')).mode & 0o777, 0o700)
})

test('a command in a folder that was removed says so in one line', t => {
  const line = `mkdir gone; cd gone; rmdir ../gone; '${process.execPath}' '${PROGRAM}' agent list`
  assertOneLine(runShell(makeFolder(t), line), /^mintmark: The folder in which this command was started is not there/)
})

test('migrations that run together all succeed, and one of them made the store', t => {
  const one = `'${process.execPath}' '${PROGRAM}' migrate --json`
  const { stdout, stderr } = runShell(makeFolder(t), `for n in 1 2 3 4; do ${one} & done; wait`, KEYED)
  assert.equal(stderr, '')
  const before = stdout
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { from: number }).from)
  assert.deepEqual([before.length, before.filter(from => from === 0).length], [4, 1])
})

/** As a disk may do: the table is not what was written. */
const spoil = (file: string, table: string): void => {
  const db = openBeside(file)
  const { rootpage: page = 0 } =
    db.prepare<{ rootpage: number }>('select rootpage from sqlite_schema where name = ?').get(table) ?? {}
  const size = Number(db.pragma('page_size'))
  db.close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, (page - 1) * size, page * size)
  writeFileSync(file, bytes)
}

for (const table of ['migration', 'service']) {
  test(`a store whose table ${table} is damaged is refused in one line that says what to do`, t => {
    const folder = makeFolder(t)
    run(folder, ['migrate'], KEYED)
    spoil(join(folder, '.mintmark', 'mintmark.db'), table)
    for (const command of [['agent', 'list'], ['clock', 'reset', '--yes'], ['serve']]) {
      assertOneLine(
        run(folder, command, serving(1)),
        /^mintmark: The store cannot be used \(.+\): look at its disk, and restore a backup/,
      )
    }
  })
}

test('migrate needs the key-encryption key, and the one that the store has', t => {
  const folder = makeFolder(t)
  assertOneLine(run(folder, ['migrate']), /^mintmark: MINTMARK_KEY_ENCRYPTION_KEY is not set; expected 32 bytes/)
  run(folder, ['migrate'], KEYED)
  const other = randomBytes(32).toString('base64')
  const ended = run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: other })
  assertOneLine(ended, /^mintmark: Signing key .* is sealed under the key-encryption key/)
  assert.ok(!ended.stderr.includes(other) && !ended.stderr.includes(KEY))
})

test('a data folder that cannot be written is refused', t => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, '.mintmark'), 'a file in its place')
  assertOneLine(
    run(folder, ['migrate'], KEYED),
    /^mintmark: The data folder .*\.mintmark cannot be written \((EEXIST|ENOTDIR)\)/,
  )
})

test('a data folder that cannot be made is refused, however deep', t => {
  const folder = makeFolder(t)
  for (const place of ['/proc/mintmark', '/proc/a/b', `${folder}/${'x'.repeat(300)}`, '/dev/null/a']) {
    for (const args of [['migrate'], ['dev']]) {
      assertOneLine(
        run(folder, args, { ...KEYED, MINTMARK_DATA_DIR: place }),
        /^mintmark: The data folder .* cannot be written \((ENOENT|ENAMETOOLONG|ENOTDIR|EACCES|EROFS)\)/,
      )
    }
  }
})

/** A store with a token that lives, its clock carried an hour ahead as by a wrong clock of the machine; its token's id. */
const makeStoreAhead = async (t: TestContext, folder: string): Promise<string> => {
  run(folder, ['migrate'], KEYED)
  const made = run(folder, [
    'agent',
    'create',
    '--name',
    'a',
    '--scope',
    'db:read',
    '--default-scope',
    'db:read',
    '--json',
  ])
  const agent = JSON.parse(made.stdout) as { readonly client_id: string; readonly client_secret: string }
  const [port] = await freePorts()
  const running = await start(t, folder, { args: ['serve'], variables: serving(port), ready: /another audience\.\n/ })
  const { client_id, client_secret } = agent
  const fields = { grant_type: 'client_credentials', client_id, client_secret }
  const answer = await postForm(`http://127.0.0.1:${port}/oauth/token`, fields)
  const { access_token: token } = (await answer.json()) as { readonly access_token: string }
  await running.stop()
  const db = openBeside(join(folder, '.mintmark/mintmark.db'))
  db.exec('update service set clock_lease = clock_lease + 3600000')
  db.close()
  const [, payload = ''] = token.split('.')
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly jti: string }).jti
}

/** What the ledger holds, and how far its clock is ahead. */
const sendLookup = (folder: string) => {
  const db = openDatabase(join(folder, '.mintmark/mintmark.db'), { readOnly: true })
  const column = (sql: string): readonly unknown[] =>
    db
      .prepareArrays<readonly unknown[]>(sql)
      .all()
      .map(([value]) => value)
  const [live, ended] = ['select id from token', 'select id from ended where reason = 2'].map(sql =>
    column(sql).map(id => idOfBytes(id as Uint8Array)),
  )
  const aheadMs = Number(column('select clock_lease from service')[0]) - Date.now()
  db.close()
  return { live, ended, isAhead: aheadMs > 0 }
}

test('clock reset says what it ends, and does it only with --yes', async t => {
  const folder = makeFolder(t)
  const id = await makeStoreAhead(t, folder)
  assertOneLine(run(folder, ['clock', 'reset']), /^mintmark: This ends every token that is alive.*--yes\.$/m, 2)
  assert.deepEqual(sendLookup(folder), { live: [id], ended: [], isAhead: true })
  const { status, stdout, stderr } = run(folder, ['clock', 'reset', '--yes'])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /every token that was alive has ended/)
  assert.deepEqual(sendLookup(folder), { live: [], ended: [id], isAhead: false })
})

test('serve says what it serves and which audience it assumed, and ends with status 0 on SIGTERM', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  const [port] = await freePorts()
  const variables = serving(port)
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  assert.equal(
    running.printed,
    `Mintmark serves http://127.0.0.1:${port} on 127.0.0.1:${port}, workers: 1.\n` +
      `Tokens asked for without a resource are for http://127.0.0.1:${port}; MINTMARK_DEFAULT_AUDIENCE sets another audience.\n`,
  )
  const response = await fetchDescribed(`http://127.0.0.1:${port}/.well-known/jwks.json`)
  assert.equal(response.status, 200)
  const { keys } = (await response.json()) as { keys: unknown[] }
  // The next key follows the current one within a second.
  assert.ok(keys.length > 0)
  assert.equal((await running.stop()).status, 0)
})

test('serve speaks HTTPS with the certificate and the key from their files', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  writeFileSync(join(folder, 'certificate.pem'), CERTIFICATE)
  writeFileSync(join(folder, 'key.pem'), PRIVATE_KEY)
  const [port] = await freePorts()
  const variables = {
    ...serving(port),
    MINTMARK_BASE_URL: `https://localhost:${port}`,
    MINTMARK_TLS_CERT_FILE: 'certificate.pem',
    MINTMARK_TLS_KEY_FILE: 'key.pem',
  }
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  assert.match(
    running.printed,
    new RegExp(`^Mintmark serves https://localhost:${port} on 127\\.0\\.0\\.1:${port} with TLS, workers: 1\\.\n`),
  )
  const status = await new Promise((resolve, reject) => {
    get({ host: 'localhost', family: 4, port, path: '/livez', ca: CERTIFICATE }, response => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
  assert.equal(status, 200)
})

test('serve reports every mistake of its configuration at once', t => {
  const { status, stderr } = run(makeFolder(t), ['serve'], { PORT: 'http' })
  assert.equal(status, 1)
  assert.match(stderr, /^mintmark: The configuration has 4 mistakes:\n(?: {2}.+\n){4}$/)
})

test('serve refuses a store that is not there', async t => {
  const [port] = await freePorts()
  assertOneLine(
    run(makeFolder(t), ['serve'], serving(port)),
    /mintmark\.db does not exist: run 'mintmark migrate' first\.$/m,
  )
})

test('serve refuses another key-encryption key', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  const [port] = await freePorts()
  const variables = { ...serving(port), MINTMARK_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  assertOneLine(runAlone(folder, ['serve'], variables), /^mintmark: Signing key .* is sealed under/)
})

test('serve refuses a port that is taken', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  const port = await occupyPort(t)
  assertOneLine(
    // The store is open by then, and its seals would be logged.
    runAlone(folder, ['serve'], { ...serving(port), LOG_LEVEL: 'warn' }),
    new RegExp(`^mintmark: Port ${port} on 127\\.0\\.0\\.1 is taken; .* or set PORT\\.`),
  )
})

const makeNewer = (folder: string): void => {
  const db = openBeside(join(folder, '.mintmark/mintmark.db'))
  db.exec(`insert into migration values (99, 'from the future', 99, 0)`)
  db.close()
}

const NEWER = /^mintmark: .*mintmark\.db is of a newer version/

test('serve and migrate refuse a store of a newer version', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  makeNewer(folder)
  const [port] = await freePorts()
  for (const command of ['serve', 'migrate']) assertOneLine(run(folder, [command], serving(port)), NEWER)
})

test('dev refuses a store of a newer version, which a newer dev made', async t => {
  const folder = makeFolder(t)
  const [port, other] = await freePorts()
  const variables = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(other) }
  await (await start(t, folder, { args: ['dev'], variables, ready: /jwks\.json.*\n/ })).stop()
  makeNewer(folder)
  assertOneLine(run(folder, ['dev'], variables), NEWER)
})

test('dev refuses a store that migrate made for serve', async t => {
  const folder = makeFolder(t)
  run(folder, ['migrate'], KEYED)
  const [port, other] = await freePorts()
  const ended = run(folder, ['dev'], { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(other) })
  assertOneLine(ended, /^mintmark: .*was made by `mintmark migrate` for `mintmark serve`/)
})
