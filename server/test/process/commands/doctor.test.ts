// mintmark doctor: one command that says what is wrong and what to do, whatever runs, and changes nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { allOk, BY_COMMAND, examine, makeStore } from '../../../../testkit/commands/doctor.ts'
import { KEY, makeFolder, run, runAside, start, waits } from '../../../../testkit/commands/run-mintmark.ts'

/** Every file below a folder, with all that a change would leave. */
const pictureOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map(name => {
      const { mode, size, mtimeMs, ctimeMs, uid } = statSync(join(folder, name))
      const isFile = statSync(join(folder, name)).isFile()
      const digest = isFile
        ? createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : ''
      return [name, mode, size, mtimeMs, ctimeMs, uid, digest].join(' ')
    })

test('doctor of a service that runs well: every check is ok, and the exit code is 0', async t => {
  const { folder, variables } = await makeStore(t)
  await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  const { exitCode, stderr, status, statuses, checks } = await examine(folder, variables)
  assert.deepEqual([exitCode, stderr, status], [0, '', 'ok'])
  assert.deepEqual(statuses, allOk())
  assert.deepEqual(
    checks.map(({ name }) => name),
    BY_COMMAND,
  )
})

test('doctor for people: a line for each check, and below what is wrong a line that says what to do', async t => {
  const { folder, variables } = await makeStore(t)
  const { status, stdout, stderr } = await runAside(folder, ['doctor'], { variables })
  assert.deepEqual([status, stderr], [0, ''])
  const [subject = '', ...lines] = stdout.trimEnd().split('\n')
  assert.match(subject, /^The installation that `mintmark serve` would start here, .* \/\S+\.mintmark\/mintmark\.db\.$/)
  assert.match(lines[0] ?? '', /^STATUS +CHECK +FINDING$/)
  for (const name of BY_COMMAND) assert.equal(lines.filter(line => line.split(/ +/)[1] === name).length, 1, name)
  const at = lines.findIndex(line => /^warning +service /.test(line))
  assert.match(lines[at] ?? '', /No service can be reached at http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED/)
  assert.match(lines[at + 1] ?? '', /^ +→ Start it with `mintmark serve`/)
})

test('doctor of a service that is down warns of it and of nothing else, and changes no file', async t => {
  const { folder, variables } = await makeStore(t)
  const before = pictureOf(folder)
  const { exitCode, statuses } = await examine(folder, variables)
  assert.deepEqual(statuses, allOk(['service', 'warning']))
  assert.equal(exitCode, 0)
  assert.deepEqual(pictureOf(folder), before)
})

test('doctor reads what a killed service left in its log, and leaves store and log as they are', async t => {
  const { folder, variables, storeFile } = await makeStore(t)
  const running = await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read'], variables)
  running.signal('SIGKILL')
  await running.stop()
  assert.ok(statSync(`${storeFile}-wal`).size > 0)
  // SQLite renews the shared memory, which nobody has any more; as root it also gives the log to its owner once more.
  const unshared = (picture: readonly string[]) =>
    picture
      .filter(line => !line.includes('-shm'))
      .map(line => (line.includes('-wal') ? line.split(' ').toSpliced(4, 1).join(' ') : line))
  const before = unshared(pictureOf(folder))
  const { statuses } = await examine(folder, variables)
  assert.deepEqual(statuses, allOk(['service', 'warning']))
  assert.deepEqual(unshared(pictureOf(folder)), before)
})

test('doctor of a wrong configuration lists every mistake, and makes the checks that it can make', async t => {
  const { folder, provider } = await makeStore(t)
  const { exitCode, stderr, statuses, messages } = await examine(folder, {
    MINTMARK_BASE_URL: 'ftp://auth.example.com',
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKRES: '2',
    PORT: 'none',
  })
  assert.equal(exitCode, 1)
  assert.deepEqual(JSON.parse(stderr), { error: 'failed', error_description: '4 problems, 2 warnings.' })
  assert.deepEqual(messages('configuration'), [
    'MINTMARK_WORKRES is not a variable of this version. Expected: perhaps MINTMARK_WORKERS.',
    'MINTMARK_BASE_URL opens with ftp:. Expected: https:.',
    'MINTMARK_KEY_ENCRYPTION_KEY is not set. Expected: 32 bytes in base64, such as `openssl rand -base64 32` prints.',
    'PORT is "none". Expected: a whole number from 1 to 65535.',
  ])
  const wrong = ['key_encryption_key', 'service'].map(name => [name, 'warning'] as const)
  assert.deepEqual(statuses, allOk(['configuration', 'problem'], ...wrong))
})

test('doctor without any configuration says what is missing', async t => {
  const { exitCode, statuses } = await examine(makeFolder(t), {})
  assert.equal(exitCode, 1)
  const bad = Object.entries(statuses).filter(([, status]) => status === 'problem')
  assert.deepEqual(
    bad.map(([name]) => name),
    ['configuration', 'store'],
  )
})

test('doctor does not look at the file of the default store where DATABASE_URL is wrong', async t => {
  const { folder, variables } = await makeStore(t)
  const { statuses, messages } = await examine(folder, { ...variables, DATABASE_URL: 'mysql://db' })
  assert.equal(statuses['configuration'], 'problem')
  assert.deepEqual(messages('store'), [
    'Not checked: the configuration does not say where the store is. Correct DATABASE_URL.',
  ])
})

test('doctor with another key-encryption key says so, and prints neither', async t => {
  const { folder, variables } = await makeStore(t)
  const other = Buffer.alloc(32, 9).toString('base64')
  const { exitCode, statuses, messages, stdout } = await examine(folder, {
    ...variables,
    MINTMARK_KEY_ENCRYPTION_KEY: other,
  })
  assert.deepEqual([exitCode, statuses['key_encryption_key']], [1, 'problem'])
  assert.match(
    messages('key_encryption_key').join(),
    /is sealed under the key-encryption key [0-9a-f]{16}, but the one given is/,
  )
  assert.ok(!stdout.includes(other) && !stdout.includes(KEY))
})

test('doctor prints no secret of a wrong configuration', async t => {
  const { folder, variables } = await makeStore(t)
  const secret = 'canary-8b1f0c'
  for (const more of [
    { MINTMARK_KEY_ENCRYPTION_KEY: secret },
    { DATABASE_URL: `postgres://mintmark:${secret}@127.0.0.1:1/mintmark` },
    { DATABASE_URL: `postgres://mintmark:${secret}@127.0.0.1:1/mintmark?sslmode=prefer` },
    { MINTMARK_API_KEY: secret, MINTMARK_OPERATOR_JWT: secret, PGPASSWORD: secret },
  ]) {
    const { stdout, stderr } = await examine(folder, { ...variables, ...more })
    assert.ok(!`${stdout}${stderr}`.includes(secret), stdout)
  }
})

test('doctor says which file with a secret this user may not read, and goes on', async t => {
  const { folder, variables } = await makeStore(t)
  const { MINTMARK_KEY_ENCRYPTION_KEY: _, ...rest } = variables
  const { statuses, messages } = await examine(folder, { ...rest, MINTMARK_KEY_ENCRYPTION_KEY_FILE: folder })
  assert.match(
    messages('configuration').join(),
    /^MINTMARK_KEY_ENCRYPTION_KEY_FILE names ".*", which cannot be read \(EISDIR\)\./,
  )
  assert.deepEqual([statuses['key_encryption_key'], statuses['schema']], ['warning', 'ok'])
})

/** Nothing that answers is waited for with these. */
const HUNG_MS = 200

/** Takes connections and never answers. */
const startSilence = async (t: TestContext): Promise<number> => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('doctor reports a provider, a database and a service that hang, and everything else', async t => {
  const { folder, variables } = await makeStore(t)
  const silent = await startSilence(t)
  const hanging = {
    ...variables,
    MINTMARK_BASE_URL: `http://127.0.0.1:${silent}`,
    MINTMARK_IDP_ISSUER: `http://127.0.0.1:${silent}/tenant`,
    ...waits({ checkAnswerMs: HUNG_MS, keyReadingMs: HUNG_MS, connectMs: HUNG_MS }),
  }
  const sqlite = await examine(folder, hanging)
  assert.equal(sqlite.exitCode, 1)
  const hung = [
    ['identity_providers', 'problem'],
    ['service', 'warning'],
  ] as const
  assert.deepEqual(sqlite.statuses, allOk(...hung))
  assert.match(sqlite.messages('identity_providers').join(), /timeout/)
  assert.match(sqlite.messages('service').join(), /it did not answer in time/)
  const postgres = await examine(folder, { ...hanging, DATABASE_URL: `postgres://m@127.0.0.1:${silent}/m` })
  assert.match(postgres.messages('store').join(), /^The database at 127\.0\.0\.1:\d+ cannot be reached: .*timeout/i)
  const unknown = ['schema', 'collation', 'clock', 'key_encryption_key', 'suspensions', 'trusted_issuers'].map(
    name => [name, 'warning'] as const,
  )
  assert.deepEqual(postgres.statuses, allOk(...hung, ['store', 'problem'], ...unknown))
})

test('doctor names each provider that is of no use, and why', async t => {
  const { folder, provider, variables } = await makeStore(t)
  provider.publicJwks.splice(0)
  assert.match(
    (await examine(folder, variables)).messages('identity_providers').join(),
    /no usable key for .*MINTMARK_IDP_ISSUER/,
  )
  provider.fail('other_issuer')
  assert.match((await examine(folder, variables)).messages('identity_providers').join(), /names another issuer/)
  const { messages } = await examine(folder, { ...variables, MINTMARK_IDP_ISSUER: `${provider.issuer}/` })
  assert.match(messages('identity_providers').join(), /its metadata names another issuer/)
})

test('doctor names each trusted issuer whose JWTs cannot be taken, and why, and those that are one', async t => {
  const { folder, provider, variables } = await makeStore(t)
  const { issuer } = provider
  const create = (alias: string, url: string, ...more: readonly string[]) => {
    const args = ['issuer', 'create', '--alias', alias, '--issuer', url, '--type', 'id_token', '--scope', 'db:read']
    const { status, stderr } = run(folder, [...args, ...more], variables)
    assert.equal(status, 0, stderr)
  }
  const allowed = { ...variables, MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '127.0.0.0/8' }
  const none = await examine(folder, allowed)
  assert.deepEqual(none.messages('trusted_issuers'), ['No issuer is trusted.'])
  create('good', issuer, '--require', 'tid=a', '--jwks-uri', `${issuer}/jwks`)
  create('other', `${issuer}/`)
  create('weak', issuer, '--require', 'tid=b', '--algorithm', 'PS256')
  const { statuses, messages } = await examine(folder, allowed)
  assert.equal(statuses['trusted_issuers'], 'problem')
  const said = messages('trusted_issuers').join('\n')
  assert.match(said, /The keys of the trusted issuer other \(\S+\) cannot be read: its metadata names another issuer/)
  assert.match(said, /of the trusted issuer weak .*no usable key for PS256.*Look at `mintmark issuer show weak`/)
  const inside = (await examine(folder, variables)).messages('trusted_issuers').join('\n')
  assert.match(inside, /trusted issuer weak .*no address for everybody's use and in no range that is allowed/)
  run(folder, ['issuer', 'disable', 'weak', '--yes'], variables)
  run(folder, ['issuer', 'delete', 'other', '--yes'], variables)
  create('twin', 'https://elsewhere.example', '--jwks-uri', `${issuer}/jwks`)
  const twins = await examine(folder, allowed)
  assert.match(
    twins.messages('trusted_issuers').join('\n'),
    /The trusted issuers good and twin have the same jwks_uri: .* each of its subjects is two/,
  )
  assert.doesNotMatch(twins.messages('trusted_issuers').join('\n'), /trusted issuer weak/)
})

test('doctor --url looks at the service from outside only, and a service that is not there is then a problem', async t => {
  const { folder, variables, port } = await makeStore(t)
  const url = `http://127.0.0.1:${port}`
  const elsewhere = makeFolder(t)
  const down = await examine(elsewhere, {}, '--url', url)
  const named = await examine(elsewhere, { MINTMARK_URL: url, MINTMARK_OPERATOR_JWT: 'a.b.c' })
  assert.deepEqual(named.stdout, down.stdout)
  assert.deepEqual([down.exitCode, down.statuses], [1, { service: 'problem' }])
  await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  const up = await examine(elsewhere, {}, '--url', url)
  assert.deepEqual([up.exitCode, up.statuses], [0, { service: 'ok' }])
  const other = await examine(elsewhere, {}, '--url', `http://localhost:${port}`)
  assert.match(
    other.messages('service').join(),
    /The service at http:\/\/localhost:\d+ has the base URL "http:\/\/127\.0\.0\.1:\d+"\./,
  )
  assert.deepEqual([other.exitCode, other.statuses['service']], [1, 'problem'])
})

test('doctor reports the components of the service that are not ok', async t => {
  const { folder, provider, variables } = await makeStore(t)
  provider.fail('error')
  await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  const { messages, statuses } = await examine(folder, variables)
  assert.deepEqual(messages('service'), [
    `The service reports identity_provider ${provider.issuer}: unavailable. Its keys cannot be read: it answered 500. Look at its log, and run this command on its machine.`,
  ])
  assert.equal(statuses['service'], 'warning')
})
