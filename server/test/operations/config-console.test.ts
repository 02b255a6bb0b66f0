// Configuration of the console's client: off unless it is set, and each mistake said by its variable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Environment, readServeConfig } from '../../src/config/config.ts'
import { BASE, file, mistakesOf } from '../../../testkit/services/base-environment.ts'

const consoleOf = async (variables: Environment) => (await readServeConfig({ ...BASE, ...variables })).console

const ID = { MINTMARK_CONSOLE_CLIENT_ID: 'mintmark-console' }

const SECOND = {
  MINTMARK_CONFIG_FILE: file(
    'console-providers.json',
    JSON.stringify({ identity_providers: [{ issuer: 'https://second.example.com', audience: 'mm' }] }),
  ),
}

test('a client id is enough; the rest has the documented defaults', async () => {
  assert.deepEqual(await consoleOf(ID), {
    issuer: 'https://login.example.com/',
    clientId: 'mintmark-console',
    clientSecret: null,
    scope: 'openid',
    parameters: {},
  })
})

test('every setting is read, the secret from a file too', async () => {
  const config = await consoleOf({
    ...ID,
    ...SECOND,
    MINTMARK_CONSOLE_ISSUER: 'https://second.example.com',
    MINTMARK_CONSOLE_CLIENT_SECRET_FILE: file('console-secret', 'hunter2\n'),
    MINTMARK_CONSOLE_SCOPE: 'openid offline_access',
    MINTMARK_CONSOLE_PARAMETERS: 'audience=mintmark&prompt=login',
  })
  assert.deepEqual(config, {
    issuer: 'https://second.example.com',
    clientId: 'mintmark-console',
    clientSecret: 'hunter2',
    scope: 'openid offline_access',
    parameters: { audience: 'mintmark', prompt: 'login' },
  })
})

const MISTAKES: readonly (readonly [Environment, RegExp])[] = [
  [
    { MINTMARK_CONSOLE_CLIENT_SECRET: 'hunter2' },
    /^MINTMARK_CONSOLE_CLIENT_SECRET is set, but MINTMARK_CONSOLE_CLIENT_ID is not/,
  ],
  [{ MINTMARK_CONSOLE_SCOPE: 'openid' }, /^MINTMARK_CONSOLE_SCOPE is set, but MINTMARK_CONSOLE_CLIENT_ID is not/],
  [
    { ...ID, MINTMARK_CONSOLE_ISSUER: 'https://evil.example' },
    /^MINTMARK_CONSOLE_ISSUER is https:\/\/evil\.example; expected one of/,
  ],
  [{ ...ID, ...SECOND }, /^MINTMARK_CONSOLE_ISSUER is not set; expected one of .*: there are several$/],
  ...['state', 'nonce', 'redirect_uri', 'response_mode', 'response_type', 'code_challenge', 'request'].map(
    name =>
      [
        { ...ID, MINTMARK_CONSOLE_PARAMETERS: `a=b&${name}=x` },
        new RegExp(`^MINTMARK_CONSOLE_PARAMETERS sets ${name}; expected`),
      ] as const,
  ),
]

for (const [variables, mistake] of MISTAKES) {
  test(`${Object.entries(variables).join(' ')} is one mistake, without any secret`, async () => {
    const [only = '', ...others] = await mistakesOf(() => readServeConfig({ ...BASE, ...variables }))
    assert.match(only, mistake)
    assert.deepEqual(others, [])
    assert.doesNotMatch(only, /hunter2/)
  })
}
