// mintmark key …, run as a person runs it.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { withFile } from '../../../../testkit/stores/store-file.ts'
import { type Ended, KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

const VARIABLES = { MINTMARK_KEY_ENCRYPTION_KEY: KEY }
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64')

type Key = {
  readonly kid: string
  readonly state: string
  readonly current_kid: string
  readonly warning: string | null
}

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], VARIABLES).status, 0)
  return folder
}

const json = ({ status, stdout, stderr }: Ended): unknown => {
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** Behind `--` any kid is one, whatever it begins with. */
const key = (folder: string, verb: string, ...args: readonly string[]): unknown =>
  json(run(folder, ['key', verb, '--json', ...args], VARIABLES))

const list = (folder: string): readonly Key[] => (key(folder, 'list') as { data: readonly Key[] }).data

const importFrom = (folder: string, input: string, ...args: readonly string[]): Ended =>
  run(folder, ['key', 'import', ...args], VARIABLES, input)

test('key list, show and rotate: the next key is published first, and --force warns', t => {
  const folder = makeStore(t)
  const [first, ...others] = list(folder)
  assert.ok(first !== undefined && others.length === 0)
  const next = key(folder, 'rotate') as Key
  assert.deepEqual([next.state, next.current_kid, next.warning], ['next', first.kid, null])
  assert.match(
    run(folder, ['key', 'rotate'], VARIABLES).stdout,
    /It signs as soon as it has been published long enough/,
  )
  const forced = key(folder, 'rotate', '--force', '--note', 'drill') as Key
  assert.deepEqual([forced.kid, forced.state], [next.kid, 'current'])
  assert.match(forced.warning ?? '', /signs before it was published for 360 s/)
  assert.equal((key(folder, 'show', '--', first.kid) as Key).state, 'retained')
  const table = run(folder, ['key', 'list'], VARIABLES).stdout
  assert.match(
    table,
    new RegExp(`^kid +algorithm +state .*\\n${next.kid} +ES256 +current .*\\n${first.kid} +ES256 +retained `),
  )
  for (const kid of ['-abc', '-Vabc', '-h1', `--${'a'.repeat(41)}`]) {
    assert.match(run(folder, ['key', 'compromise', kid, '--yes'], VARIABLES).stderr, /^mintmark: No signing key has /)
  }
  assert.match(run(folder, ['key', 'compromise', '--yse', 'a'], VARIABLES).stderr, /unknown option '--yse'/)
  assert.match(run(folder, ['key', 'compromise', 'a', '-yes'], VARIABLES).stderr, /unknown option '-yes'/)
  const nobody = 'n'.repeat(43)
  const unknown = run(folder, ['key', 'show', nobody], VARIABLES)
  assert.deepEqual([unknown.status, unknown.stderr], [1, `mintmark: No signing key has the kid ${nobody}.\n`])
})

test('key rotate asks where the key that signs has signed for minutes only, and not where it is the first', t => {
  const folder = makeStore(t)
  key(folder, 'rotate', '--force')
  const asked = run(folder, ['key', 'rotate', '--force'], VARIABLES)
  assert.equal(asked.status, 2)
  assert.match(
    asked.stderr,
    /^mintmark: The key that signs has signed for 0 min only\. This rotates again\. .*--yes\.$/m,
  )
  assert.equal(list(folder).length, 2)
  assert.equal(run(folder, ['key', 'rotate', '--force', '--yes'], VARIABLES).status, 0)
})

test('key compromise asks first, and key retire takes a next key away', t => {
  const folder = makeStore(t)
  const [first] = list(folder)
  const kid = first?.kid ?? ''
  const asked = run(folder, ['key', 'compromise', '--', kid], VARIABLES)
  assert.equal(asked.status, 2)
  assert.match(asked.stderr, /ends every token that it signed: 0 alive now\. If that is meant, run it again with --yes/)
  assert.equal(list(folder).length, 1)
  const compromised = key(folder, 'compromise', '--yes', '--', kid) as Key
  assert.deepEqual([compromised.state, compromised.current_kid === kid], ['compromised', false])
  const next = key(folder, 'rotate') as Key
  assert.equal((key(folder, 'retire', '--', next.kid) as Key).state, 'gone')
})

test('key import reads PEM or a JWK from standard input, and prints nothing of it', t => {
  const folder = makeStore(t)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'old-1' }
  const imported = importFrom(folder, JSON.stringify(jwk), '--json')
  assert.equal((json(imported) as Key).kid, 'old-1')
  assert.ok(!(imported.stdout + imported.stderr).includes(String(jwk.d)))
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  assert.equal((json(importFrom(folder, pem, '--kid', 'old-2', '--json')) as Key).kid, 'old-2')
  const refused = importFrom(folder, 'CANARY-7')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /private_key is none that can be read/)
  assert.ok(!refused.stderr.includes('CANARY-7'))
})

test('without the key-encryption key, or with another, only what would seal a new key is refused', t => {
  const folder = makeStore(t)
  const wrong = run(folder, ['key', 'rotate'], { MINTMARK_KEY_ENCRYPTION_KEY: OTHER_KEY })
  assert.deepEqual([wrong.status, /is sealed under the key-encryption key/.test(wrong.stderr)], [1, true])
  const reason =
    /^mintmark: MINTMARK_KEY_ENCRYPTION_KEY is not set; an import needs it, and so do a new signing key and a check of seals\.\n$/
  const refused = run(folder, ['key', 'rotate'], {})
  assert.deepEqual([refused.status, reason.test(refused.stderr)], [1, true], refused.stderr)
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  const input = run(folder, ['key', 'import'], {}, pem)
  assert.deepEqual([input.status, reason.test(input.stderr)], [1, true], input.stderr)
  assert.equal(list(folder).length, 1)
  const { kid } = key(folder, 'rotate') as Key
  const bare = (...args: readonly string[]) => json(run(folder, ['key', ...args], {}))
  assert.equal((bare('list', '--json') as { data: readonly Key[] }).data.length, 2)
  assert.equal((bare('show', '--json', '--', kid) as Key).state, 'next')
  assert.equal((bare('retire', '--json', '--', kid) as Key).state, 'gone')
})

test('key reencrypt takes the store to another key-encryption key; the former one then opens nothing', t => {
  const folder = makeStore(t)
  const both = { MINTMARK_KEY_ENCRYPTION_KEY: OTHER_KEY, MINTMARK_KEY_ENCRYPTION_KEY_OLD: KEY }
  const first = run(folder, ['key', 'reencrypt'], both)
  assert.equal(first.status, 0, first.stderr)
  assert.match(first.stdout, /^The store is sealed under the new key-encryption key/)
  assert.deepEqual(json(run(folder, ['key', 'reencrypt', '--json'], both)), { outcome: 'done_before' })
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: OTHER_KEY }).status, 0)
  assert.equal(run(folder, ['audit', 'verify'], { MINTMARK_KEY_ENCRYPTION_KEY: OTHER_KEY }).status, 0)
  const former = run(folder, ['migrate'], VARIABLES)
  assert.equal(former.status, 1)
  assert.match(former.stderr, /is sealed under the key-encryption key/)
  const without = run(folder, ['key', 'reencrypt'], VARIABLES)
  assert.deepEqual([without.status, /MINTMARK_KEY_ENCRYPTION_KEY_OLD is not set/.test(without.stderr)], [1, true])
})

test('the algorithm of the configuration is that of the first key', t => {
  const folder = makeFolder(t)
  const variables = { ...VARIABLES, MINTMARK_SIGNING_ALGORITHM: 'EdDSA' }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const algorithms = withFile(join(folder, '.mintmark', 'mintmark.db'), db =>
    db.prepare(`select public_jwk ->> 'alg' as alg from signing_key`).all(),
  )
  assert.deepEqual(algorithms, [{ alg: 'EdDSA' }])
})
