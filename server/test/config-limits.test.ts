// The limits of callers as a configuration sets them, and each mistake of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Environment, readServeConfig } from '../src/config/config.ts'
import { BASE, mistakesOf } from '../../testkit/services/base-environment.ts'

const read = async (env: Environment) => (await readServeConfig({ ...BASE, ...env })).limits

test('without settings the limits are those of the documents', async () => {
  assert.deepEqual(await read({}), {
    failedAuthentications: { perClient: 30, perAddress: 300 },
    connections: { max: 10_000, perAddress: 2000 },
  })
})

test('each limit is as it is set, and limits of failed authentications may be off', async () => {
  assert.deepEqual(
    await read({
      MINTMARK_FAILED_AUTH_PER_CLIENT: '1',
      MINTMARK_FAILED_AUTH_PER_ADDRESS: '1000000',
      MINTMARK_CONNECTIONS_MAX: '16',
      MINTMARK_CONNECTIONS_PER_ADDRESS: '5',
    }),
    { failedAuthentications: { perClient: 1, perAddress: 1_000_000 }, connections: { max: 16, perAddress: 5 } },
  )
  const off = await read({ MINTMARK_FAILED_AUTH_PER_CLIENT: 'off', MINTMARK_FAILED_AUTH_PER_ADDRESS: 'off' })
  assert.deepEqual(off.failedAuthentications, { perClient: null, perAddress: null })
})

test('with few connections in all, one address may have no more', async () => {
  assert.deepEqual((await read({ MINTMARK_CONNECTIONS_MAX: '100' })).connections, { max: 100, perAddress: 100 })
})

const MISTAKES: readonly (readonly [string, string, RegExp])[] = [
  ['MINTMARK_FAILED_AUTH_PER_CLIENT', '0', /expected a whole number from 1 to 1000000, or off$/],
  ['MINTMARK_FAILED_AUTH_PER_ADDRESS', 'none', /expected a whole number from 1 to 1000000, or off$/],
  ['MINTMARK_CONNECTIONS_MAX', '15', /expected a whole number from 16 to 1000000$/],
  ['MINTMARK_CONNECTIONS_MAX', 'off', /expected a whole number from 16 to 1000000$/],
  ['MINTMARK_CONNECTIONS_PER_ADDRESS', '0', /expected a whole number from 1 to 1000000$/],
]

for (const [name, text, message] of MISTAKES) {
  test(`${name}=${text} is a mistake`, async () => {
    const mistakes = await mistakesOf(() => readServeConfig({ ...BASE, [name]: text }))
    assert.equal(mistakes.length, 1)
    assert.ok(mistakes[0]?.startsWith(`${name} is `))
    assert.match(mistakes[0] ?? '', message)
  })
}
