// The setting MINTMARK_CLAIM_NAMES: what own claims of agents may be called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandConfig, readDevConfig, readServeConfig } from '../src/config/config.ts'
import { BASE, mistakesOf } from '../../testkit/services/base-environment.ts'

const namesOf = async (names: string): Promise<readonly string[]> =>
  (await readServeConfig({ ...BASE, MINTMARK_CLAIM_NAMES: names })).claimNames

const many = (count: number): string => Array.from({ length: count }, (_, n) => `a${n}`).join(',')

test('names are read one by one, by a service and by a command; there are none by default', async () => {
  assert.deepEqual(await namesOf('roles, tenant_id'), ['roles', 'tenant_id'])
  assert.equal((await namesOf(many(64))).length, 64)
  for (const read of [readDevConfig, readCommandConfig]) {
    assert.deepEqual(read({ ...BASE, MINTMARK_CLAIM_NAMES: 'roles,trial' }).claimNames, ['roles', 'trial'])
    assert.deepEqual(read(BASE).claimNames, [])
  }
})

test('a name with a meaning of its own, one that is no name, and too many are mistakes', async () => {
  const means = 'MINTMARK_CLAIM_NAMES names email, which means something in tokens already; leave it out'
  assert.deepEqual(await mistakesOf(() => namesOf('roles, email')), [means])
  for (const names of ['Roles', 'roles,', 'roles tenant_id', 'https://a.example/roles', '__proto__', many(65)]) {
    const [mistake = '', ...others] = await mistakesOf(() => namesOf(names))
    const expected = `MINTMARK_CLAIM_NAMES is ${JSON.stringify(names)}; expected at most 64 names such as roles,tenant_id, each `
    assert.ok(mistake.startsWith(expected), mistake)
    assert.deepEqual(others, [])
  }
})
