// mintmark credential …, api-key rotate and leaked-secrets, run as a person runs them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { environment, KEY, makeFolder, PROGRAM, run } from '../../../../testkit/commands/run-mintmark.ts'

const AGENT = ['agent', 'create', '--name', 'reports', '--scope', 'db:read', '--json']
const READER = ['--name', 'orders', '--permission', 'tokens:read', '--json']

type Printed = Readonly<Record<string, unknown>>

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  return folder
}

const json = (folder: string, ...args: readonly string[]): Printed => {
  const { status, stdout, stderr } = run(folder, args)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Printed
}

const text = (value: unknown): string => String(value)

const makeAgent = (t: TestContext) => {
  const folder = makeStore(t)
  const { agent_id, client_secret } = json(folder, ...AGENT)
  const agentId = text(agent_id)
  const list = () => json(folder, 'credential', 'list', agentId, '--json')['data'] as readonly Printed[]
  return { folder, agentId, clientSecret: text(client_secret), list }
}

const secondsUntil = (time: unknown, from: unknown): number => (Date.parse(text(time)) - Date.parse(text(from))) / 1000

/** Each command may leave the clock of the store a moment ahead of the machine's: it returns no time twice. */
const AHEAD_MS_MAX = 1000

/** What `work` gives; the expiry that is so many seconds after now must be of an instant in between. */
const assertExpiresIn = <T extends Printed>(seconds: number, work: () => T): T => {
  const before = Date.now()
  const record = work()
  const asked = Date.parse(text(record['expires_at'])) - 1000 * seconds
  assert.ok(before <= asked && asked <= Date.now() + AHEAD_MS_MAX, text(record['expires_at']))
  return record
}

test('credential create prints the secret once; list and show name it with its expiry, and never the secret', t => {
  const { folder, agentId, list } = makeAgent(t)
  let made: Printed = {}
  const second = assertExpiresIn(90 * 86_400, () => {
    made = json(folder, 'credential', 'create', agentId, '--name', 'second', '--expires-in', '90d', '--json')
    return list()[1] ?? {}
  })
  assert.deepEqual(Object.keys(made), ['credential_id', 'agent_id', 'client_secret'])
  assert.match(text(made['client_secret']), /^mmc_[0-9A-Za-z]{49}$/)
  const [first, , ...others] = list()
  assert.deepEqual([first?.['name'], second['name'], others], ['first', 'second', []])
  assert.deepEqual(second['live_tokens'], { count: 0, exact: true })
  assert.deepEqual(json(folder, 'credential', 'show', agentId, text(made['credential_id']), '--json'), second)
  const shown = run(folder, ['credential', 'list', agentId]).stdout
  assert.match(shown, /second +client_secret +\S+Z +- +- +- +0\n/)
  assert.ok(!shown.includes(text(made['client_secret'])))
})

test('credential rotate needs a grace, makes another of the same name and lets the old one expire', t => {
  const { folder, agentId, list } = makeAgent(t)
  const id = text(list()[0]?.['credential_id'])
  assert.equal(run(folder, ['credential', 'rotate', agentId, id]).status, 2)
  const rotated = json(folder, 'credential', 'rotate', agentId, id, '--grace', '0', '--json')
  const [old, replacement] = list()
  assert.deepEqual([replacement?.['credential_id'], replacement?.['name']], [rotated['credential_id'], 'first'])
  assert.notEqual(old?.['expires_at'], null)
  const again = run(folder, ['credential', 'rotate', agentId, id, '--grace', '1h'])
  assert.equal(again.status, 1)
  assert.equal(again.stderr, 'mintmark: The credential is revoked or has expired: create another instead.\n')
})

test('credential revoke marks it; what cannot be is refused in one line', t => {
  const { folder, agentId, list } = makeAgent(t)
  const id = text(list()[0]?.['credential_id'])
  const revoked = json(
    folder,
    'credential',
    'revoke',
    agentId,
    id,
    '--reason',
    'secret_leaked',
    '--keep-tokens',
    '--yes',
    '--json',
  )
  assert.match(text(revoked['revoked_at']), /Z$/)
  assert.deepEqual(list(), [revoked])
  assert.equal(run(folder, ['credential', 'revoke', agentId, id, '--reason', 'boredom']).status, 2)
  const nobody = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'
  const unknown = run(folder, ['credential', 'revoke', agentId, nobody, '--yes'])
  assert.equal(unknown.status, 1)
  assert.equal(unknown.stderr, `mintmark: No credential of an agent ${agentId} has the id ${nobody}.\n`)
  for (const grace of ['1y', '5', '-1d', '']) {
    assert.equal(run(folder, ['credential', 'rotate', agentId, id, '--grace', grace]).status, 2, grace)
  }
})

test('api-key create takes an expiry, rotate makes another with a grace for the old one, show shows it', t => {
  const folder = makeStore(t)
  let old: Printed = {}
  const show = (id: unknown) => json(folder, 'api-key', 'show', text(id), '--json')
  assertExpiresIn(12 * 3600, () => {
    old = json(folder, 'api-key', 'create', ...READER, '--expires-in', '12h')
    return show(old['api_key_id'])
  })
  const rotated = json(folder, 'api-key', 'rotate', text(old['api_key_id']), '--grace', '30m', '--json')
  assert.deepEqual(Object.keys(rotated), ['api_key_id', 'api_key'])
  assert.deepEqual([show(rotated['api_key_id'])['name'], show(rotated['api_key_id'])['expires_at']], ['orders', null])
  const left = secondsUntil(show(old['api_key_id'])['expires_at'], show(rotated['api_key_id'])['created_at'])
  assert.equal(left, 1800)
})

test('an expiry after the year 9999 is refused in a sentence', t => {
  const folder = makeStore(t)
  for (const duration of ['3000000d', '999999999d']) {
    const { status, stdout, stderr } = run(folder, ['api-key', 'create', ...READER, '--expires-in', duration])
    assert.deepEqual([status, stdout], [2, ''])
    const { error_description } = JSON.parse(stderr) as Record<string, unknown>
    assert.match(String(error_description), /^option '--expires-in <time>' .* Expected a shorter duration\.$/)
  }
})

/** What `mintmark leaked-secrets` does with this on its standard input. */
const report = (folder: string, input: string, ...options: readonly string[]) =>
  run(folder, ['leaked-secrets', ...options], {}, input)

test('leaked-secrets reads one a line, or the array of a scanner, and prints what each was without the secret', t => {
  const { folder, clientSecret, list } = makeAgent(t)
  const { api_key } = json(folder, 'api-key', 'create', ...READER)
  const results = (stdout: string): unknown =>
    (JSON.parse(stdout) as { data: { result: string }[] }).data.map(({ result }) => result)
  const lines = report(folder, `${clientSecret}\n\nnot ours\n`, '--json')
  assert.deepEqual(results(lines.stdout), ['revoked', 'unknown'])
  assert.notEqual(list()[0]?.['revoked_at'], null)
  const array = JSON.stringify([{ token: api_key, type: 'x', url: '', source: 'content' }, { token: clientSecret }])
  assert.deepEqual(results(report(folder, array, '--json').stdout), ['revoked', 'already_revoked'])
  assert.ok(!lines.stdout.includes(clientSecret))
  assert.match(report(folder, clientSecret).stdout, /^result +kind .*\nalready_revoked +credential /)
})

test('leaked-secrets refuses a line with several secrets, and revokes none of the report', t => {
  const folder = makeStore(t)
  const made = ['reports', 'figures'].map(name => {
    const { stdout } = run(folder, ['agent', 'create', '--name', name, '--scope', 'db:read', '--json'])
    return (JSON.parse(stdout) as { client_secret: string }).client_secret
  })
  const { status, stderr } = report(folder, `${made[0]}\n\nA=${made[0]} B=${made[1]}\n`)
  const line = 'Secret 2 of the report holds several secrets or tokens: report each by itself. Nothing was revoked.'
  assert.deepEqual([status, stderr], [1, `mintmark: ${line}\n`])
  assert.match(report(folder, made.join('\n'), '--dry-run').stdout, /(?:\nwould_revoke .*){2}/)
})

test('leaked-secrets refuses an array in another form, and no secret at all', t => {
  const folder = makeStore(t)
  const form = 'Expected on standard input one secret a line, or a JSON array of {"token","url"}.'
  for (const [input, line] of [
    ['[{"secret":"x"}]', form],
    ['["mmc_x"]', form],
    ['[{', form],
    ['{"token":"mmc_x"}', form],
    ['[{"token":"a","token":"b"}]', '0.token is given twice: give each member once.'],
    ['\n', 'The body holds no secret.'],
  ] as const) {
    const { status, stderr } = report(folder, input)
    assert.deepEqual([status, stderr], [1, `mintmark: ${line}\n`])
  }
})

test('a document that is too long is refused with one line, from standard input and from a file', t => {
  const folder = makeStore(t)
  const piped = 'yes mmc_none | head -c 80000000 | "$0" "$@"'
  const { status, stdout, stderr } = spawnSync('sh', ['-c', piped, process.execPath, PROGRAM, 'leaked-secrets'], {
    cwd: folder,
    env: environment({}),
    encoding: 'utf8',
  })
  const line = 'mintmark: Standard input is not the secrets: it has more than 67108864 bytes.\n'
  assert.deepEqual([status, stderr, stdout], [2, line, ''])
  // It takes no room on the disk.
  const file = join(folder, 'long.json')
  writeFileSync(file, '')
  truncateSync(file, 16_777_217)
  const imported = run(folder, ['import', 'keycloak', file])
  assert.deepEqual(
    [imported.status, imported.stderr],
    [2, `mintmark: ${JSON.stringify(file)} has more than 16777216 bytes.\n`],
  )
})
