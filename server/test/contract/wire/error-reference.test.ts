// GET /errors: the page to which the `type` of every problem leads.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, send } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import { ERRORS, typeOf } from '../../../src/http/wire/error-reference.ts'

const services: TestServer[] = []

before(async () => {
  services.push(await startServer(), await startServer({ path: '/tenant' }))
})

after(() => Promise.all(services.map(service => service.close())))

/** The text of the section at an address, without its markup. */
const sectionAt = async (service: TestServer, address: string): Promise<string> => {
  const { pathname, hash, origin } = new URL(address)
  assert.equal(origin, service.origin)
  const page = await get(service, `@${pathname}`)
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
  const sections = [...page.text.matchAll(/<section id="([^"]+)">(.*?)<\/section>/gs)]
  const [section, ...others] = sections.filter(([, id]) => `#${id}` === hash)
  assert.ok(section !== undefined && others.length === 0, address)
  const [, , content = ''] = section
  return content.replaceAll(/<[^>]+>/g, '').replaceAll('&amp;', '&')
}

test('the type of every refusal code is the address of its section, with its status, causes and remedy', async () => {
  for (const service of services) {
    for (const [code, { status, title, causes, remedy }] of Object.entries(ERRORS)) {
      const section = await sectionAt(service, typeOf(service.baseUrl, code as keyof typeof ERRORS))
      for (const text of [code, `${title}: status ${status}.`, ...causes, remedy]) {
        assert.ok(section.includes(text.replaceAll('`', '')), `${code}: ${text}`)
      }
    }
  }
})

test('a problem has the title of its type, and its type leads to the section of its code', async () => {
  for (const service of services) {
    for (const [path, code] of [
      ['/api/v1/nothing', 'not_found'],
      ['/api/v1/agents', 'invalid_client'],
    ] as const) {
      const { json } = await get(service, path)
      const { type, title, error } = json as Record<'type' | 'title' | 'error', string>
      assert.deepEqual([type, title, error], [`${service.baseUrl}/errors#${code}`, ERRORS[code].title, code])
      assert.ok((await sectionAt(service, type)).includes(code))
    }
  }
})

test('the error of an OAuth endpoint has no type', async () => {
  for (const service of services) {
    const { json } = await get(service, '/oauth/authorize')
    assert.deepEqual(Object.keys(json as object), ['error', 'error_description'])
  }
})

test('the page runs no script, and loads nothing but the icon of the service', async () => {
  for (const service of services) {
    const page = await get(service, '/errors', { accept: 'application/json' })
    assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'unsafe-inline'; /)
    assert.equal(page.headers['x-content-type-options'], 'nosniff')
    const links = [...page.text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, link = '']) => link)
    assert.deepEqual(links, [`${new URL(service.baseUrl).pathname.replace(/\/$/, '')}/favicon.svg`])
    assert.doesNotMatch(page.text, /<script/)
  }
})

test('another method is 405, and there is nothing below the page', async () => {
  for (const service of services) {
    const answer = await send(service, { method: 'POST', path: '/errors' })
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'])
    for (const path of ['/errors/', '/errors/not_found']) assert.equal((await get(service, path)).status, 404, path)
  }
})
