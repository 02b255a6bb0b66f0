// The signing keys of a configuration: their algorithm, and how often they rotate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServeConfig } from '../src/config/config.ts'
import { BASE } from '../../testkit/services/base-environment.ts'

test('signing keys: an algorithm of the list, and days or off', async () => {
  const read = async (env: Record<string, string>) => (await readServeConfig({ ...BASE, ...env })).signingKeys
  for (const algorithm of ['ES256', 'RS256', 'EdDSA', 'ML-DSA-65']) {
    assert.deepEqual(await read({ MINTMARK_SIGNING_ALGORITHM: algorithm }), { algorithm, rotationDays: 30 })
  }
  for (const [text, rotationDays] of [
    ['1', 1],
    ['3650', 3650],
    ['off', null],
  ] as const) {
    assert.deepEqual(await read({ MINTMARK_KEY_ROTATION_DAYS: text }), { algorithm: 'ES256', rotationDays })
  }
  for (const [name, text, wrong] of [
    ['MINTMARK_SIGNING_ALGORITHM', 'HS256', /MINTMARK_SIGNING_ALGORITHM is "HS256"; expected one of ES256, RS256/],
    ['MINTMARK_SIGNING_ALGORITHM', 'none', /expected one of/],
    ['MINTMARK_KEY_ROTATION_DAYS', '0', /is "0"; expected a whole number from 1 to 3650, or off/],
    ['MINTMARK_KEY_ROTATION_DAYS', '3651', /or off/],
  ] as const) {
    await assert.rejects(read({ [name]: text }), wrong)
  }
})
