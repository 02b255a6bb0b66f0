// The examples in the help of every command: there are some, and each runs as it stands.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import type { Command } from 'commander'
import { makeProgram } from '../../../src/cli/program.ts'
import { BLANK_SETTINGS } from '../../../src/domain/clients/change-agent.ts'
import { makeSigningKeyMaker } from '../../../src/keys/tokens/signing-keys.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { makeTestDatabase } from '../../../../testkit/databases/postgres-cluster.ts'
import { makeNotingProgram, takeNotedCall } from '../../../../testkit/commands/noted-call.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { newIssuer } from '../../../../testkit/stores/new-things.ts'
import { act } from '../../../../testkit/stores/store.ts'
import {
  type Ended,
  freePorts,
  KEY,
  PROGRAM,
  run,
  runAside,
  runShell,
  start,
  type Variables,
} from '../../../../testkit/commands/run-mintmark.ts'

const AGENT = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
/** Of a credential of that agent, and of an API key. */
const SECRET = '0b9c6a52-8f0e-4a55-b1a5-3f0a3f6f5c11'
/** Of the key that is to sign next. */
const KID = 'Vb3rV0mJcZ2mIY8mXx0ZJk5m1c8k1yq2nq2n0t1cH9k'
const SESSION = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'
const TOKEN = '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'

/** Those that go on until they are stopped have a test of their own, and so has what asks one of them. */
const GO_ON = ['serve', 'dev', 'dev-token', 'token get']
/** These print no record, or lines of records in a format of their own. */
const WITHOUT_JSON = [
  'serve',
  'dev',
  'completion',
  'token export',
  'token export-history',
  'audit export',
  'apply',
  'export agents',
]
/** The token of the example is nobody's, and what the file declares would change something. */
const STATUSES: Readonly<Record<string, number>> = {
  'token introspect': 3,
  'mintmark apply agents.yaml --set platform --dry-run': 2,
}

const leavesOf = (command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path.join(' '), command] as const]
    : command.commands.flatMap(one => leavesOf(one, [...path, one.name()]))

const helpOf = (command: Command): string => {
  let text = ''
  command.configureOutput({ writeOut: part => void (text += part) }).outputHelp()
  return text
}

const examplesIn = (help: string): readonly string[] =>
  (/\nExamples?:\n((?: {2}.+\n?)+)/.exec(help)?.[1] ?? '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

const leaves = leavesOf(await makeProgram([]))

test('every command has an example, and --json where it prints a record', () => {
  assert.ok(leaves.length > 30)
  for (const [path, command] of leaves) {
    const help = helpOf(command)
    assert.notDeepEqual(examplesIn(help), [], path)
    assert.ok(
      examplesIn(help).every(line => line.includes(`mintmark ${path}`)),
      path,
    )
    assert.equal(/^ +--json /m.test(help), !WITHOUT_JSON.includes(path), path)
  }
})

test('no option of any command takes a secret: other users of a machine see what stands on a command line', () => {
  const takesSecret = (flags: string): boolean => /--[\w-]*(?:secret|password|token|jwt|api-key|jwks?)\b/.test(flags)
  const flags = leaves.flatMap(([path, { options }]) =>
    options.filter(({ required, optional }) => required || optional).map(option => `${path} ${option.flags}`),
  )
  assert.ok(flags.length > 100)
  assert.deepEqual(
    flags.filter(one => takesSecret(one.replaceAll(/--[\w-]+-(?:file|uri|id)\b/g, ''))),
    [],
  )
})

let template = ''

const provider = await startIdentityProvider()
after(() => provider.close())

/** What the examples name. */
const fill = async (file: string): Promise<void> => {
  const store = await openSqliteStore({ file, timing: TIMING, retention: null })
  const [secretHash, keyHash] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const settings = {
    ...BLANK_SETTINGS,
    name: 'figures',
    owner: 'Ada',
    scopes: ['db:read', 'db:write'],
    resources: ['*'],
  }
  await store.agents.create(
    { ...settings, id: AGENT, clientId: AGENT, credential: { id: SECRET, secretHash } },
    act('agent.create'),
  )
  const key = { id: SECRET, name: 'ops', permissions: ['tokens:read'], audiences: null, keyHash, expiry: null } as const
  await store.apiKeys.create(key, act('api_key.create'))
  await store.issuers.create(
    { ...newIssuer(), alias: 'entra', jwksUri: 'https://login.example.com/jwks' },
    act('issuer.create'),
  )
  // Else its keys, which are nowhere, are a problem that doctor reports.
  await store.issuers.disable('entra', act('issuer.disable'))
  const sealed = { sealedTokens: new Uint8Array(1), expiresAt: 0 }
  const operator = { iss: 'https://login.example.com', sub: 'ada', name: 'Ada' }
  const session = { id: SESSION, secretHash: randomBytes(32).toString('hex'), ...operator, ...sealed }
  await store.sessions.create(session, act('session.create'))
  const { clients, signingKey, seq } = await store.agents.viewForIssue([AGENT], 'fresh')
  const [client] = clients
  const { number: agent = 0, credentials: [credential] = [] } = client ?? {}
  const rest = { lifetimeSeconds: 300, digest: randomBytes(16).toString('hex'), scope: 'db:write', audience: ['urn:a'] }
  await store.ledger.insert([
    {
      id: TOKEN,
      ...rest,
      agent,
      credential: credential?.number ?? 0,
      signingKey: signingKey.number,
      seq,
      limits: null,
    },
  ])
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const next = makeSigningKeyMaker(Buffer.from(KEY, 'base64'), 'ES256').read(privateKey.export({ format: 'jwk' }), KID)
  assert.ok('publicJwk' in next)
  await store.signingKeys.createNext(next, act('signing_key.create'))
  await store.close()
}

before(async () => {
  template = mkdtempSync(join(tmpdir(), 'mintmark-examples-'))
  const { status, stderr } = run(template, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY })
  assert.equal(status, 0, stderr)
  await fill(join(template, '.mintmark/mintmark.db'))
  run(template, ['revocation', 'create', '--scope', 'db:admin', '--id', AGENT, '--yes'])
  writeFileSync(join(template, 'report.json'), '[{"token":"mmc_x","url":"https://example.com"}]')
  writeFileSync(join(template, 'keycloak.json'), '{"clients":[]}')
  writeFileSync(join(template, 'hydra.json'), '[]')
  writeFileSync(join(template, 'agents.yaml'), 'kind: agent\nname: deploys\nscope: deploy:write\n')
  writeFileSync(join(template, 'audit.ndjson'), '')
  writeFileSync(join(template, 'token.txt'), 'eyJhbGciOiJFUzI1NiJ9.e30.AA\n')
  writeFileSync(join(template, 'key.old'), Buffer.alloc(32, 9).toString('base64'))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(join(template, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  assert.equal(run(template, ['backup', 'backup.db']).status, 0)
  for (const name of ['database.url', 'empty-database.url']) {
    writeFileSync(join(template, name), (await makeTestDatabase()).url)
  }
  const { kty, crv, x, y } = privateKey.export({ format: 'jwk' })
  writeFileSync(join(template, 'client.jwks.json'), JSON.stringify({ keys: [{ kty, crv, x, y }] }))
  makeNotingProgram(join(template, 'noting'))
  mkdirSync(join(template, 'bin'))
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`
  writeFileSync(join(template, 'bin/mintmark'), shim, { mode: 0o755 })
})

after(() => rmSync(template, { recursive: true, force: true }))

const copyTemplate = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-example-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(template, folder, { recursive: true })
  return folder
}

const variablesIn = (folder: string, place = 'bin'): Variables => ({
  PATH: `${join(folder, place)}:${process.env['PATH'] ?? ''}`,
  MINTMARK_BASE_URL: 'https://auth.example.com',
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_IDP_ISSUER: provider.issuer,
  MINTMARK_IDP_AUDIENCE: provider.audience,
  // As the databases of tests are.
  MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
})

/** What the shell calls is then run with the others, by one process, while the identity provider answers. */
const runLine = async (folder: string, line: string): Promise<Ended> => {
  const called = runShell(folder, line, variablesIn(folder, 'noting'))
  assert.deepEqual(called, { status: 0, stdout: '', stderr: '' })
  const { args, ...rest } = takeNotedCall(folder)
  return runAside(folder, args, rest)
}

for (const [path, command] of leaves.filter(([name]) => !GO_ON.includes(name))) {
  for (const line of examplesIn(helpOf(command))) {
    test(`the example runs as it stands: ${line}`, async t => {
      const folder = copyTemplate(t)
      // What it prints is for the shell that calls it.
      const isForShell = path === 'completion'
      const { status, stderr } = isForShell ? runShell(folder, line, variablesIn(folder)) : await runLine(folder, line)
      assert.equal(status, STATUSES[path] ?? STATUSES[line] ?? 0, stderr)
    })
  }
}

test('the examples of serve, dev and dev-token run as they stand', async t => {
  const folder = copyTemplate(t)
  const [port, other] = await freePorts()
  const examples = Object.fromEntries(
    leaves.filter(([path]) => GO_ON.includes(path)).map(([path, command]) => [path, examplesIn(helpOf(command))]),
  )
  assert.deepEqual([examples['serve'], examples['dev']], [['mintmark serve'], ['mintmark dev']])
  const place = { HOST: '127.0.0.1', PORT: String(port), MINTMARK_DRAIN_SECONDS: '0', MINTMARK_WORKERS: '1' }
  const variables: Variables = { ...variablesIn(folder), ...place }
  const serving = await start(t, folder, { args: ['serve'], variables, ready: /Mintmark serves/ })
  assert.equal((await serving.stop()).status, 0)
  const ports = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(other), MINTMARK_DATA_DIR: 'development' }
  const dev = await start(t, folder, { args: ['dev'], variables: ports, ready: /jwks\.json.*\n/ })
  for (const line of examples['dev-token'] ?? []) {
    const { status, stderr } = runShell(folder, line, { ...ports, PATH: variables['PATH'] ?? '' })
    assert.equal(status, 0, stderr)
  }
  assert.equal((await dev.stop()).status, 0)
})
