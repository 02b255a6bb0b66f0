// mintmark dev, started and used as a newcomer does: each line of its banner pasted into bash, in order.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { fetchDescribed } from '../../../../testkit/services/fetch-described.ts'
import {
  freePorts,
  makeFolder,
  occupyPort,
  PROGRAM,
  run,
  runAlone,
  type Running,
  runShell,
  type Scope,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const portsOf = (port: number, providerPort: number): Variables => ({
  PORT: String(port),
  MINTMARK_DEV_IDP_PORT: String(providerPort),
})

const startDev = (t: Scope, folder: string, variables: Variables): Promise<Running> =>
  start(t, folder, { args: ['dev'], variables, ready: /jwks\.json"; echo\n/ })

const startInFolder = async (t: Scope) => {
  const folder = makeFolder(t)
  const [port, providerPort] = await freePorts()
  const variables = portsOf(port, providerPort)
  return { folder, port, providerPort, variables, running: await startDev(t, folder, variables) }
}

/** What each line of the banner prints, as one bash in which they are pasted one after another. */
const paste = (folder: string, banner: string): readonly string[] => {
  const [source = '', ...lines] = banner.split('\n').filter(line => /^(?:source|TOKEN=|curl) ?/.test(line))
  const mark = '---mintmark---'
  const { status, stdout, stderr } = runShell(folder, [source, ...lines].join(`\necho; echo ${mark}\n`))
  assert.equal(status, 0, stderr)
  return stdout.split(mark).map(text => text.trim())
}

const devEnvironment = (folder: string) => readFileSync(join(folder, '.mintmark/dev.env'), 'utf8')

const withoutJwt = (text: string) => text.replaceAll(/_JWT=.*/g, '')

const statusFor = (port: number, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/livez', headers: { host } }, response => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

/** One for all tests that look at a running dev; those of what it leaves come last, and stop it. */
const dev = await startInFolder({ after })

// The first, as a newcomer's: it lists the only live token, and the only one in history.
test('each line of the banner works as pasted, in order, and all six operations answer', () => {
  const { folder, port, providerPort, running } = dev
  const baseUrl = `http://127.0.0.1:${port}`
  const [sourced, token = '', verified = '', listed = '', revoked, ended = '', keys = '', ...others] = paste(
    folder,
    running.printed,
  )
  assert.equal(sourced, '')
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
  const { active, scope, iss, aud } = JSON.parse(verified) as Record<string, unknown>
  assert.deepEqual({ active, scope, iss, aud }, { active: true, scope: 'db:read', iss: baseUrl, aud: baseUrl })
  assert.equal((JSON.parse(listed) as { data: unknown[] }).data.length, 1)
  assert.equal(revoked, '{}')
  const history = JSON.parse(ended) as { data: { termination_reason: string; ended_by: unknown }[] }
  assert.deepEqual(
    history.data.map(({ termination_reason, ended_by }) => ({ termination_reason, ended_by })),
    [
      {
        termination_reason: 'manual_revocation',
        ended_by: { type: 'operator', iss: `http://127.0.0.1:${providerPort}`, sub: 'dev-admin' },
      },
    ],
  )
  // The next key follows the current one within a second.
  assert.ok((JSON.parse(keys) as { keys: unknown[] }).keys.length > 0)
  assert.deepEqual(others, [])
})

test('the banner names the variables of dev.env and never their values', () => {
  const { folder, running } = dev
  const secrets = devEnvironment(folder).matchAll(
    /^export (?:CLIENT_SECRET|ADMIN_API_KEY|IDENTITY_PROVIDER_JWT|IDENTITY_PROVIDER_CLIENT_SECRET)='(.+)'$/gm,
  )
  const values = [...secrets].map(([, value = '']) => value)
  assert.equal(values.length, 4)
  for (const value of values) assert.ok(!running.printed.includes(value))
})

test('dev.env gives programs what they need, and the command line the running service', () => {
  const { folder, port } = dev
  const program = `process.stdout.write([process.env.BASE_URL, process.env.CLIENT_SECRET.length > 20].join(' '))`
  const { stdout } = runShell(folder, `source .mintmark/dev.env\nnode -e "${program}"`)
  assert.equal(stdout, `http://127.0.0.1:${port} true`)
  const listed = runShell(tmpdir(), `source ${folder}/.mintmark/dev.env\nnode ${PROGRAM} agent list --json`)
  assert.equal(listed.status, 0, listed.stderr)
  assert.equal((JSON.parse(listed.stdout) as { data: unknown[] }).data.length, 1)
  const introspect = `source ${folder}/.mintmark/dev.env\necho a.b.c | node ${PROGRAM} token introspect --json`
  assert.equal(runShell(tmpdir(), introspect).stdout, '{"active":false}\n')
})

test('the README shows the lines of the banner, in the same order', () => {
  const { running } = dev
  const shell = /^(?:source|TOKEN=|curl) ?.*$/gm
  const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  assert.deepEqual(readme.match(shell), running.printed.match(shell))
})

/** The paths of members in their order, all the way down, with the types of what they hold; of a list each kind once. */
const pathsIn = (value: unknown, path = ''): readonly string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(one => pathsIn(one, `${path}[]`)))]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`]
  return Object.entries(value).flatMap(([name, member]) => pathsIn(member, `${path}.${name}`))
}

/** JSON in which `…` stands for members that are left out. */
const parseCut = (text: string): unknown => JSON.parse(text.replaceAll(/,…(?=[,}])/g, ''))

test('the answers that the README shows have members of the real ones, in the same order', () => {
  const { folder, running } = dev
  const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const shown = [...readme.matchAll(/^```json\n(.+)\n```$/gm)].map(([, json = '']) => json)
  const [, , ...real] = paste(folder, running.printed)
  assert.equal(shown.length, real.length)
  for (const [n, text] of shown.entries()) {
    const [paths, all] = [pathsIn(parseCut(text)), pathsIn(JSON.parse(real[n] ?? ''))]
    const expected = text.includes('…') ? all.filter(path => paths.includes(path)) : all
    assert.deepEqual(paths, expected)
  }
  const [asked = '', verified = ''] = [...readme.matchAll(/`(\{"(?:access_token|active)":.*?\})`/g)].map(
    ([, json]) => json,
  )
  const lines = running.printed.split('\n')
  const issuing = lines.find(line => line.startsWith('TOKEN='))?.replace(/^TOKEN=\$\((.*?) \| sed .*$/, '$1')
  const [source, verifying] = ['source ', 'curl '].map(word => lines.find(line => line.startsWith(word)))
  const token = runShell(folder, `${source}\n${issuing}`).stdout
  assert.deepEqual(pathsIn(JSON.parse(asked)), pathsIn(JSON.parse(token)))
  assert.equal(runShell(folder, `${source}\nTOKEN=ended\n${verifying}`).stdout.trim(), verified)
})

test('everything lies in one folder that only its owner may read', () => {
  const { folder } = dev
  const inside = join(folder, '.mintmark')
  assert.deepEqual(readdirSync(folder), ['.mintmark'])
  assert.equal(statSync(inside).mode & 0o777, 0o700)
  for (const name of readdirSync(inside)) assert.equal(statSync(join(inside, name)).mode & 0o777, 0o600, name)
  for (const name of ['mintmark.db', 'key-encryption-key', 'dev-secrets.json', 'dev.env']) {
    assert.ok(readdirSync(inside).includes(name), name)
  }
})

test('both servers answer 421 to a Host that is not theirs', async () => {
  const { port, providerPort } = dev
  for (const own of ['127.0.0.1', 'localhost', '[::1]']) {
    assert.equal(await statusFor(port, `${own}:${port}`), 200, own)
    assert.equal(await statusFor(providerPort, `${own}:${providerPort}`), 404, own)
  }
  for (const foreign of [`rebound.example:${port}`, 'localhost', `127.0.0.1:${port}.rebound.example`]) {
    assert.equal(await statusFor(port, foreign), 421, foreign)
    assert.equal(await statusFor(providerPort, foreign), 421, foreign)
  }
})

test('dev-token prints another JWT of the running provider, with the role asked for', async () => {
  const { folder, port } = dev
  const { status, stdout, stderr } = run(folder, ['dev-token', '--role', 'viewer'])
  assert.equal(status, 0, stderr)
  const claims = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
  assert.deepEqual(claims['roles'], ['mintmark-viewer'])
  assert.equal(claims['aud'], `http://127.0.0.1:${port}/api/v1`)
  assert.equal(Number(claims['exp']) - Number(claims['iat']), 12 * 3600)
  const asViewer = { authorization: `Bearer ${stdout.trim()}` }
  assert.equal((await fetchDescribed(`http://127.0.0.1:${port}/api/v1/tokens`, { headers: asViewer })).status, 200)
  const revoking = { method: 'POST', headers: asViewer, body: new URLSearchParams({ token: 'x' }) }
  assert.equal((await fetchDescribed(`http://127.0.0.1:${port}/oauth/revoke`, revoking)).status, 403)
})

test('dev-token without a running provider says to start one', async t => {
  const folder = makeFolder(t)
  const { status, stderr } = run(folder, ['dev-token'])
  assert.equal(status, 1)
  assert.match(stderr, /^mintmark: .* holds no development service; start `mintmark dev` there first\.\n$/)
})

for (const [title, which] of [
  ['the service', 'PORT'],
  ['the identity provider', 'MINTMARK_DEV_IDP_PORT'],
] as const) {
  test(`a port of ${title} that is taken is refused in one line`, async t => {
    const folder = makeFolder(t)
    const [port, providerPort] = await freePorts()
    const taken = await occupyPort(t)
    const { status, stdout, stderr } = runAlone(folder, ['dev'], {
      ...portsOf(port, providerPort),
      [which]: String(taken),
    })
    assert.equal(status, 1)
    assert.equal(stdout, '')
    assert.equal(
      stderr,
      `mintmark: Port ${taken} on 127.0.0.1 is taken; stop the program that uses it (another mintmark, perhaps) or set ${which}.\n`,
    )
  })
}

test('a data folder that cannot be written is refused in one line', async t => {
  const folder = makeFolder(t)
  writeFileSync(join(folder, '.mintmark'), 'a file in its place')
  const { status, stderr } = run(folder, ['dev'], portsOf(...(await freePorts())))
  assert.equal(status, 1)
  assert.match(stderr, /^mintmark: The data folder .* cannot be written \((?:EEXIST|ENOTDIR)\); .*\n$/)
})

/** The history that pasting all lines of the banner shows last, newest first. */
const pasteHistory = (folder: string, banner: string): readonly unknown[] =>
  (JSON.parse(paste(folder, banner)[5] ?? '') as { data: unknown[] }).data

/** Of what another program is started with. */
const OF_OTHERS: Variables = { HOST: '0.0.0.0', DATABASE_URL: 'mysql://db' }

test('a second start finds the same data, and the history of the first; it listens on 127.0.0.1 whatever HOST says, and ignores a DATABASE_URL that is for another program', async t => {
  const { folder, port, variables, running } = dev
  const [before, ended] = [devEnvironment(folder), pasteHistory(folder, running.printed)]
  assert.deepEqual({ ...(await running.stop()), stdout: '' }, { status: 0, stdout: '', stderr: '' })
  const again = await startDev(t, folder, { ...variables, ...OF_OTHERS })
  assert.match(again.printed, new RegExp(`^Mintmark for development: http://127\\.0\\.0\\.1:${port}\n`))
  // Another address of the loopback interface would answer if the port were open on all.
  await assert.rejects(fetch(`http://127.0.0.2:${port}/livez`))
  assert.equal(withoutJwt(devEnvironment(folder)), withoutJwt(before))
  assert.deepEqual(pasteHistory(folder, again.printed).slice(1), ended)
  // Who tries it out sees why a request is refused.
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'wrong' })
  assert.equal((await fetch(`http://127.0.0.1:${port}/oauth/token`, { method: 'POST', body })).status, 401)
  const { stderr } = await again.stop()
  assert.match(stderr, /^\{[^\n]*"event":"request_refused"[^\n]*"inside":"no client has this client_id"[^\n]*\}\n$/)
})

test('serve refuses the store that dev made', async () => {
  const { folder, running } = dev
  await running.stop()
  const key = readFileSync(join(folder, '.mintmark/key-encryption-key'), 'utf8').trim()
  const { status, stderr } = run(folder, ['serve'], {
    MINTMARK_KEY_ENCRYPTION_KEY: key,
    MINTMARK_BASE_URL: 'http://127.0.0.1:8080',
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
  })
  assert.equal(status, 1)
  assert.match(stderr, /^mintmark: .*was made by `mintmark dev`, whose secrets lie beside it; .*\n$/)
})

test('a demo agent that lost its secrets file is followed by another', async t => {
  const { folder, variables, running } = dev
  await running.stop()
  const before = devEnvironment(folder)
  writeFileSync(join(folder, '.mintmark/dev-secrets.json'), '{')
  const damaged = runAlone(folder, ['dev'], variables)
  assert.equal(damaged.status, 1)
  assert.match(damaged.stderr, /^mintmark: .*dev-secrets\.json is damaged; remove it/)
  runShell(folder, 'rm .mintmark/dev-secrets.json')
  const again = await startDev(t, folder, variables)
  assert.notEqual(withoutJwt(devEnvironment(folder)), withoutJwt(before))
  assert.equal(paste(folder, again.printed)[4], '{}')
})
