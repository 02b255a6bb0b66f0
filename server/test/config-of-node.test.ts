// What the environment asks of Node itself that would take from the service what it promises.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readServeConfig, surveyServeConfig } from '../src/config/config.ts'
import { makeAuthority } from '../../testkit/keys/make-certificate.ts'
import { BASE } from '../../testkit/services/base-environment.ts'

test('a start where Node verifies no certificate is refused', () =>
  assert.rejects(readServeConfig({ ...BASE, NODE_TLS_REJECT_UNAUTHORIZED: '0' }), /UNAUTHORIZED is 0, .*; expected no/))

test('a start without the authorities that NODE_EXTRA_CA_CERTS names is refused', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-authorities-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { cert, key: privateKey } = makeAuthority('Mintmark test')
  const [good, key] = [fileOf('good.pem', cert), fileOf('key.pem', privateKey)]
  const cut = fileOf('cut.pem', cert + cert.slice(0, 200))
  for (const [file, why] of [
    [join(folder, 'none.pem'), /^NODE_EXTRA_CA_CERTS names ".*none\.pem", which cannot be read \(ENOENT\); expected/],
    [folder, /^NODE_EXTRA_CA_CERTS names ".*", which cannot be read \(EISDIR\); expected a readable file/],
    [key, /^NODE_EXTRA_CA_CERTS names ".*key\.pem"; expected a PEM file with certificates only/],
    [cut, /^NODE_EXTRA_CA_CERTS names ".*cut\.pem"; expected/],
  ] as const) {
    const { mistakes } = await surveyServeConfig({ ...BASE, NODE_EXTRA_CA_CERTS: file })
    assert.match(mistakes.join('\n'), why)
    await assert.rejects(readServeConfig({ ...BASE, NODE_EXTRA_CA_CERTS: file }), /NODE_EXTRA_CA_CERTS/)
  }
  for (const file of ['', good]) await readServeConfig({ ...BASE, NODE_EXTRA_CA_CERTS: file })
})

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
