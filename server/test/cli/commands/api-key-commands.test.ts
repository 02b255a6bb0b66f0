// mintmark api-key …, run as a person runs it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { KEY, makeFolder, run } from '../../../../testkit/commands/run-mintmark.ts'

const makeStore = (t: TestContext): string => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], { MINTMARK_KEY_ENCRYPTION_KEY: KEY }).status, 0)
  return folder
}

const create = (folder: string, ...options: readonly string[]) =>
  run(folder, ['api-key', 'create', '--name', 'orders', ...options])

const list = (folder: string) =>
  (JSON.parse(run(folder, ['api-key', 'list', '--json']).stdout) as { data: Record<string, unknown>[] }).data

const NOBODY = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

test('api-key create --json prints exactly the id and the key', t => {
  const { status, stdout, stderr } = create(makeStore(t), '--permission', 'tokens:introspect', '--json')
  assert.equal(status, 0, stderr)
  const printed = JSON.parse(stdout) as Record<string, string>
  assert.deepEqual(Object.keys(printed), ['api_key_id', 'api_key'])
  assert.match(printed['api_key'] ?? '', /^mma_[0-9A-Za-z]{43,}$/)
})

test('api-key list shows the keys, limited ones with their audiences, and never the key itself', t => {
  const folder = makeStore(t)
  const limited = ['--permission', 'tokens:read', 'tokens:introspect', '--audience', 'https://a.example', '--json']
  const { api_key_id, api_key } = JSON.parse(create(folder, ...limited).stdout) as Record<string, string>
  const [{ created_at, ...shown } = {}, ...others] = list(folder)
  assert.deepEqual(others, [])
  assert.match(String(created_at), /Z$/)
  assert.deepEqual(shown, {
    api_key_id,
    name: 'orders',
    permissions: ['tokens:introspect', 'tokens:read'],
    audiences: ['https://a.example'],
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    suspended_at: null,
  })
  assert.ok(!run(folder, ['api-key', 'list']).stdout.includes(api_key ?? '?'))
})

test('api-key revoke marks the key, and doing it twice changes nothing more', t => {
  const folder = makeStore(t)
  const { api_key_id = '' } = JSON.parse(create(folder, '--permission', 'tokens:read', '--json').stdout) as Record<
    string,
    string
  >
  const revoke = () =>
    JSON.parse(run(folder, ['api-key', 'revoke', api_key_id, '--json', '--yes']).stdout) as { revoked_at: string }
  const { revoked_at } = revoke()
  assert.match(revoked_at, /Z$/)
  assert.equal(revoke().revoked_at, revoked_at)
  assert.equal(list(folder)[0]?.['revoked_at'], revoked_at)
})

test('what an API key cannot be is refused', t => {
  const folder = makeStore(t)
  const audience = create(folder, '--permission', 'tokens:read', '--audience', 'api')
  assert.equal(audience.status, 1)
  assert.equal(audience.stderr, 'mintmark: audiences.0 is not an absolute URI without a fragment.\n')
  const permission = create(folder, '--permission', 'tokens:forge')
  assert.equal(permission.status, 2)
  assert.match(permission.stderr, /tokens:forge/)
  assert.equal(create(folder).status, 2)
  assert.deepEqual(list(folder), [])
})

test('an id that no API key has is refused', t => {
  const { status, stderr } = run(makeStore(t), ['api-key', 'revoke', NOBODY])
  assert.equal(status, 1)
  assert.equal(stderr, `mintmark: No API key has the id ${NOBODY}.\n`)
})
