// The documentation site over HTTP, from a folder as `npm run site` makes one.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { useService } from '../../../testkit/services/service-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'mintmark-guide-'))
after(() => rmSync(folder, { recursive: true }))
const guide = join(folder, 'guide')
mkdirSync(join(guide, 'assets'), { recursive: true })
writeFileSync(join(folder, 'secret.html'), 'beside the site')
writeFileSync(join(guide, 'index.html'), '<script src="/docs/guide/assets/app.js"></script>')
writeFileSync(join(guide, 'assets', 'app.js'), 'load("/docs/guide/assets/é.js")')
mkdirSync(join(guide, 'folder.html'))
symlinkSync(join(folder, 'secret.html'), join(guide, 'link.html'))
writeFileSync(join(guide, 'notes.txt'), 'no part of a site')

const served = useService({ server: { siteFolder: guide } })
const below = useService({ path: '/tokens', server: { siteFolder: guide } })
const without = useService({ server: { siteFolder: join(folder, 'nowhere') } })

const PLAIN = { 'accept-encoding': 'identity' }

test('a page of the site is served with a policy that loads nothing from another host', async () => {
  for (const url of ['/docs/guide', '/docs/guide/', '/docs/guide/index.html']) {
    const { statusCode, headers, body } = await served.inject({ url, headers: PLAIN })
    assert.equal(statusCode, 200, url)
    assert.equal(body, '<script src="/docs/guide/assets/app.js"></script>')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['vary'], 'Accept-Encoding')
  }
})

test('an asset of the site may be kept for a year, is compressed, and is not sent twice', async () => {
  const url = '/docs/guide/assets/app.js'
  const { statusCode, headers } = await served.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(statusCode, 200)
  assert.equal(headers['content-encoding'], 'gzip')
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  const again = await served.inject({
    url,
    headers: { 'accept-encoding': 'gzip', 'if-none-match': String(headers.etag) },
  })
  assert.equal(again.statusCode, 304)
})

test('a service below a path serves the site with its links below that path', async () => {
  const { body } = await below.inject({ url: '/tokens/docs/guide/', headers: PLAIN })
  assert.equal(body, '<script src="/tokens/docs/guide/assets/app.js"></script>')
  const script = await below.inject({ url: '/tokens/docs/guide/assets/app.js', headers: PLAIN })
  assert.equal(script.body, 'load("/tokens/docs/guide/assets/é.js")')
})

test('nothing but the files of the site is served', async () => {
  const names = ['../secret.html', '..%2fsecret.html', '%2e%2e/secret.html', 'assets/../../secret.html', 'notes.txt']
  for (const name of [
    ...names,
    'assets',
    'assets/',
    'folder.html',
    'link.html',
    'nowhere.html',
    '%00.html',
    '/index.html',
  ]) {
    const { statusCode, body } = await served.inject({ url: `/docs/guide/${name}` })
    assert.equal(statusCode, 404, name)
    assert.doesNotMatch(body, /beside the site|no part of/, name)
  }
})

test('an installation without the site says so, and serves the reference of the API as ever', async () => {
  const { statusCode, body } = await without.inject({ url: '/docs/guide/' })
  assert.equal(statusCode, 404)
  assert.match(body, /made without its guide/)
  assert.equal((await without.inject({ url: '/docs' })).statusCode, 200)
})
