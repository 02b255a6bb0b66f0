// Mintmark sends nothing to anybody whom its operator did not name: SECURITY.md, "Nothing is sent anywhere".
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import {
  freePorts,
  makeFolder,
  run,
  runShell,
  serveVariables,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { findIn, nothing, readFiles, readText } from '../../../../testkit/sources/source-files.ts'

const RECORDER = resolve(import.meta.dirname, '../../../../testkit/processes/record-connections.ts')

const record = (t: TestContext) => {
  const file = join(makeFolder(t), 'recorded')
  writeFileSync(file, '')
  const variables: Variables = { RECORDED_CONNECTIONS: file, NODE_OPTIONS: `--import ${RECORDER}` }
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n')
  const count = (line: string) => lines().filter(one => one === line).length
  /** Half a second is a day for what the program does by itself: each of its threads has lived one since. */
  const aDayLater = async () => {
    const threads = lines().flatMap(line => /^(thread \S+) begins$/.exec(line)?.[1] ?? [])
    assert.ok(threads.length > 1, 'The writing thread is not recorded.')
    const due = threads.map(thread => ({ line: `${thread}: a day has passed`, before: 0 }))
    for (const one of due) one.before = count(one.line)
    // Two: the first may have begun before.
    await until('a day has passed', () => Promise.resolve(due.every(({ line, before }) => count(line) >= before + 2)))
  }
  /** Everything but threads and days, each once. */
  const seen = () => [...new Set(lines().filter(line => !line.startsWith('thread ')))].toSorted()
  return { variables, aDayLater, seen }
}

test('what records connections sees each way to reach somebody, in every thread, and what happens once a day', t => {
  const { variables, seen } = record(t)
  const folder = makeFolder(t)
  const program = `
    import { execFile, spawnSync } from 'node:child_process'
    import { createSocket } from 'node:dgram'
    import { lookup, Resolver } from 'node:dns'
    import { resolve4 } from 'node:dns/promises'
    import { get } from 'node:https'
    import { connect } from 'node:net'
    import { setTimeout as delay } from 'node:timers/promises'
    import { isMainThread, Worker } from 'node:worker_threads'
    const ignore = () => undefined
    if (isMainThread) {
      fetch('http://127.0.0.1:9').catch(ignore)
      fetch('http://127.0.0.1:65001').catch(ignore)
      get('https://127.0.0.1:65002').on('error', ignore)
      connect('nowhere.socket').on('error', ignore)
      new Worker(new URL(import.meta.url))
    } else {
      lookup('a.invalid', ignore)
      resolve4('b.invalid').catch(ignore)
      new Resolver().resolveTxt('c.invalid', ignore)
      const socket = createSocket('udp4')
      socket.send('x', 65003, '127.0.0.1', () => socket.close())
      spawnSync(process.execPath, ['--version'], { env: {} })
      execFile('true', ignore)
      await delay(86_400_000)
      connect(65004, '127.0.0.1').on('error', ignore)
      setTimeout(() => connect({ port: 65005, host: 'd.invalid' }).on('error', ignore), 3_600_000)
    }`
  writeFileSync(join(folder, 'program.mjs'), program)
  const env = { PATH: process.env['PATH'], ...variables }
  const { status, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, env, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.deepEqual(seen(), [
    'connects to 127.0.0.1:65001',
    'connects to 127.0.0.1:65002',
    'connects to 127.0.0.1:65004',
    'connects to d.invalid:65005',
    'connects to nowhere.socket',
    'looks up a.invalid',
    'looks up b.invalid',
    'looks up c.invalid',
    'looks up d.invalid',
    'send of a datagram socket',
    `starts ${process.execPath}`,
    'starts true',
  ])
})

/** Serves through a token's life and the pages that people open, and a day longer. */
const serveADay = async (t: TestContext, more: Variables) => {
  const { variables, aDayLater, seen } = record(t)
  const folder = makeFolder(t)
  const provider = await startIdentityProvider({ algorithms: ['ES256'] })
  t.after(() => provider.close())
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    ...serveVariables(port),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_WORKERS: '2',
    ...more,
  }
  assert.equal(run(folder, ['migrate'], settings).status, 0)
  const { stdout } = run(folder, ['agent', 'create', '--name', 'a', '--scope', 'db:read', '--json'], settings)
  const { client_id, client_secret } = JSON.parse(stdout) as Record<string, string>
  await start(t, folder, {
    args: ['serve'],
    variables: { ...settings, ...variables },
    ready: /another audience\.\n/,
  })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: 'db:read' } as Record<
    string,
    string
  >
  const issued = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await issued.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${await provider.operatorJwt({ role: 'mintmark-admin' })}` }
  const body = new URLSearchParams({ token: access_token })
  assert.equal((await fetch(`${url}/oauth/revoke`, { method: 'POST', headers, body })).status, 200)
  for (const path of ['/docs', '/openapi.json', '/readyz', '/api/v1/status', '/.well-known/jwks.json']) {
    assert.equal((await fetch(url + path, { headers })).status, 200, path)
  }
  await aDayLater()
  return { seen: seen(), provider: `connects to ${new URL(provider.issuer).host}` }
}

suite('a program that runs for two days', () => {
  void test('dev connects to its own identity provider and to nobody else, for two days and through its whole banner', async t => {
    const { variables, aDayLater, seen } = record(t)
    const folder = makeFolder(t)
    const [port, providerPort] = await freePorts()
    const { printed } = await start(t, folder, {
      args: ['dev'],
      variables: { ...variables, PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) },
      ready: /jwks\.json"; echo\n/,
    })
    const lines = printed.split('\n').filter(line => /^(?:source|TOKEN=|curl) ?/.test(line))
    const { stdout } = runShell(folder, lines.join('\n'))
    assert.match(stdout, /"active":true.*\n[^]*"termination_reason":"manual_revocation"/)
    await aDayLater()
    assert.deepEqual(seen(), [`connects to 127.0.0.1:${providerPort}`])
  })

  void test('serve connects to the identity provider of its operators and to nobody else, for two days', async t => {
    const { seen, provider } = await serveADay(t, {})
    assert.deepEqual(seen, [provider])
  })

  void test('on PostgreSQL it connects to its database besides', async t => {
    const database = await makeTestDatabase()
    t.after(() => database.drop())
    const { seen, provider } = await serveADay(t, {
      DATABASE_URL: database.url,
      MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    })
    const at = new URL(database.url.replace('@/', '@socket/')).searchParams
    assert.deepEqual(seen, [provider, `connects to ${at.get('host')}/.s.PGSQL.${at.get('port')}`].toSorted())
  })
})

/** What opens a connection, or belongs to a package that does. */
const OPENS =
  /(?<!\.)\bfetch\(|: fetch\b|import \{[^}]*\b(?:lookup|request|get|connect|createConnection|Agent)\b[^}]*\} from 'node:(?:net|tls|dns|https?|http2)'|'node:(?:dgram|dns\/promises|http2|child_process|inspector)'|\bnew (?:OTLPTraceExporter|Socket|WebSocket|EventSource|pg\.\w+)\(/

test('SECURITY.md names each file of the source that opens a connection, and no other', () => {
  const sources = readFiles('server/src/**/*.ts')
  const opening = new Set(findIn(sources, OPENS).map(found => found.replace(/:.*$/s, '')))
  const [, section = ''] = /^## Nothing is sent anywhere\n([^]*?)^## /m.exec(readText('SECURITY.md')) ?? []
  const named = new Set([...section.matchAll(/`(server\/src\/[\w/.-]+)`/g)].map(([, path = '']) => path))
  nothing(
    [...opening].filter(path => !named.has(path)),
    'It opens a connection; SECURITY.md does not say to whom:',
  )
  nothing(
    [...named].filter(path => !opening.has(path)),
    'SECURITY.md names it, and it opens no connection:',
  )
})
