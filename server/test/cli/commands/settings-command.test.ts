// mintmark settings, of a service and of the environment of the command.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTINGS } from '../../../src/config/settings/settings.ts'
import { KEY, makeFolder, run, runAside } from '../../../../testkit/commands/run-mintmark.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const keyring = service.apiKey('keys:write')

type Shown = {
  readonly data: readonly { readonly name: string; readonly value: string | null; readonly source: string }[]
}

test('settings lists every setting of a service to a caller that administers it, and to no other', async t => {
  const ask = (key: string) =>
    runAside(makeFolder(t), ['settings', '--json', '--url', service.origin], { variables: { MINTMARK_API_KEY: key } })
  const { status, stdout, stderr } = await ask(keyring.key)
  assert.equal(status, 0, stderr)
  const { data } = JSON.parse(stdout) as Shown
  assert.deepEqual(
    data.map(({ name }) => name),
    // What only the configuration file has comes last.
    [...Object.keys(SETTINGS), 'scopes_supported'],
  )
  assert.equal((await ask('mma_x')).status, 4)
})

const SERVED = {
  MINTMARK_BASE_URL: 'https://auth.example.com',
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_IDP_ISSUER: 'https://login.example.com/',
  MINTMARK_IDP_AUDIENCE: 'mintmark',
  PORT: '9000',
}

test('without a service it lists what serve would read here, and names what would stop it', t => {
  const folder = makeFolder(t)
  assert.equal(run(folder, ['migrate'], SERVED).status, 0)
  const { status, stdout, stderr } = run(folder, ['settings'], SERVED)
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^name +value +source +variable$/m)
  assert.match(stdout, /^PORT +9000 +environment +PORT$/m)
  assert.match(stdout, /^LOG_LEVEL +info +default +-$/m)
  assert.match(stdout, /^MINTMARK_KEY_ENCRYPTION_KEY +set +environment +MINTMARK_KEY_ENCRYPTION_KEY$/m)
  assert.ok(!stdout.includes(KEY))
  const wrong = run(folder, ['settings'], { ...SERVED, PORT: '0' })
  assert.deepEqual([wrong.status, wrong.stdout], [1, ''])
  assert.match(wrong.stderr, /PORT is "0"; expected a whole number from 1 to 65535/)
})
