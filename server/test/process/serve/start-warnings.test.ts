// What `serve` says at its start of a configuration that is no mistake and will hurt in an emergency.
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fetchDescribed } from '../../../../testkit/services/fetch-described.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { freePorts, KEY, makeFolder, run, start, type Variables } from '../../../../testkit/commands/run-mintmark.ts'

type Line = { readonly level: number; readonly msg: string; readonly issuer?: string; readonly reason?: string }

const WARN = 40

/** The warnings of a service from its start to its end, and what it said of its components in between. */
const serve = async (t: TestContext, folder: string, more: Variables) => {
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables: Variables = {
    MINTMARK_BASE_URL: url,
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    MINTMARK_WORKERS: '1',
    MINTMARK_DRAIN_SECONDS: '0',
    HOST: '127.0.0.1',
    PORT: String(port),
    ...more,
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  // The main thread reads each key set once, for this and for the check at the start: then that has ended too.
  const answer = await fetchDescribed(`${url}/readyz?verbose`)
  const body = (await answer.json()) as {
    components: readonly { name: string; issuer?: string; status: string }[]
  }
  const components = body.components.filter(({ name }) => name !== 'check')
  const plain = await fetchDescribed(`${url}/readyz`)
  const { stderr } = await running.stop()
  const lines = stderr.split('\n').filter(line => line !== '')
  const warnings = lines.map(line => JSON.parse(line) as Line).filter(({ level }) => level >= WARN)
  return { statuses: [answer.status, plain.status], components, warnings }
}

test('an identity provider whose keys cannot be read is logged once with its cause and the setting, and service goes on', async t => {
  const [folder, good] = [makeFolder(t), await startIdentityProvider()]
  t.after(() => good.close())
  const [closed] = await freePorts()
  const wrong = `http://127.0.0.1:${closed}`
  const providers = [
    { issuer: good.issuer, audience: good.audience },
    { issuer: `${good.issuer}/nowhere`, audience: 'mintmark', jwks_uri: `${good.issuer}/nothing` },
  ]
  writeFileSync(join(folder, 'mintmark.json'), JSON.stringify({ identity_providers: providers }))
  const { statuses, components, warnings } = await serve(t, folder, {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_IDP_ISSUER: wrong,
    MINTMARK_CONFIG_FILE: 'mintmark.json',
    // Once, and not once a thread.
    MINTMARK_WORKERS: '2',
  })
  assert.deepEqual(statuses, [200, 200])
  assert.deepEqual(
    components.map(({ issuer, status }) => [issuer, status]),
    [
      [undefined, 'ok'],
      [wrong, 'unavailable'],
      [good.issuer, 'ok'],
      [`${good.issuer}/nowhere`, 'unavailable'],
    ],
  )
  const line = (issuer: string, cause: string, setting: string): string =>
    `The keys of the identity provider ${issuer} cannot be read: ${cause}. None of its operators can be recognized; look at ${setting}, and at GET /readyz?verbose.`
  assert.deepEqual(
    warnings.map(({ msg }) => msg),
    [
      line(wrong, 'its host refused the connection', 'MINTMARK_IDP_ISSUER'),
      line(`${good.issuer}/nowhere`, 'it answered 404', 'identity_providers[1].jwks_uri in MINTMARK_CONFIG_FILE'),
    ],
  )
  assert.match(warnings[0]?.reason ?? '', /\/\.well-known\/openid-configuration failed \(.*ECONNREFUSED/)
})

test('each file of a secret that others can read has a line, and a service of closed ones with a good provider says nothing', async t => {
  const [folder, good] = [makeFolder(t), await startIdentityProvider()]
  t.after(() => good.close())
  const path = join(folder, 'key-encryption-key')
  writeFileSync(path, `${KEY}\n`)
  const variables = { MINTMARK_KEY_ENCRYPTION_KEY_FILE: path, MINTMARK_IDP_ISSUER: good.issuer }
  chmodSync(path, 0o644)
  const open = await serve(t, folder, variables)
  assert.deepEqual(
    open.warnings.map(({ msg }) => msg.slice(0, msg.indexOf(' names '))),
    ['MINTMARK_KEY_ENCRYPTION_KEY_FILE'],
  )
  chmodSync(path, 0o440)
  assert.deepEqual((await serve(t, folder, variables)).warnings, [])
})

test('a trusted issuer whose keys cannot be read is logged once with its cause, and readyz has the state of all', async t => {
  const [folder, good] = [makeFolder(t), await startIdentityProvider()]
  t.after(() => good.close())
  const variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_IDP_ISSUER: good.issuer,
    MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '127.0.0.0/8',
    MINTMARK_WORKERS: '2',
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  for (const [alias, issuer] of [
    ['good', good.issuer],
    ['away', `${good.issuer}/nowhere`],
    ['off', `${good.issuer}/off`],
  ] as const) {
    const args = ['issuer', 'create', '--alias', alias, '--issuer', issuer, '--type', 'id_token', '--scope', 'db:read']
    assert.equal(run(folder, args, variables).status, 0)
  }
  assert.equal(run(folder, ['issuer', 'disable', 'off', '--yes'], variables).status, 0)
  const { statuses, components, warnings } = await serve(t, folder, variables)
  assert.deepEqual(statuses, [200, 200])
  assert.deepEqual(
    components.flatMap(({ name, status }) => (name === 'trusted_issuers' ? [status] : [])),
    ['unavailable'],
  )
  assert.deepEqual(
    warnings.map(({ msg }) => msg),
    [
      'The keys of the trusted issuer away cannot be read: it answered 404. No JWT of it is taken; look at `mintmark issuer show away`, and at `mintmark doctor`.',
    ],
  )
})
