// What the environment asks of Node itself that would take from the service what it promises.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readServeConfig } from '../src/config/config.ts'
import { BASE } from '../../testkit/services/base-environment.ts'

test('a start where Node verifies no certificate is refused', () =>
  assert.rejects(readServeConfig({ ...BASE, NODE_TLS_REJECT_UNAUTHORIZED: '0' }), /UNAUTHORIZED is 0, .*; expected no/))

test('a debugging port that NODE_OPTIONS opens is warned of', async () => {
  const warningsFor = async (options: string) =>
    (await readServeConfig({ ...BASE, HOST: '127.0.0.1', NODE_OPTIONS: options })).warnings
  for (const options of [
    '--inspect',
    '--enable-source-maps --inspect=0.0.0.0:9229',
    '--inspect-brk',
    '--inspect-wait=1',
  ])
    assert.match((await warningsFor(options)).join('\n'), /^NODE_OPTIONS has --inspect, which opens a debugging port/)
  for (const options of ['', '--inspect-port=9230', '--inspect-publish-uid=http']) {
    assert.deepEqual(await warningsFor(options), [])
  }
})
