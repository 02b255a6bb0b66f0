// Sign-ins beside one another: two tabs of a browser, the session before, and two installations on one host.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actsIn } from '../../../../testkit/callers/audited-acts.ts'
import { admin } from '../../../../testkit/callers/administration.ts'
import { type Answer, send } from '../../../../testkit/callers/requests.ts'
import { grantedTo, OWN_PAGE } from '../../../../testkit/callers/sessions.ts'
import { codeFor, type Granted } from '../../../../testkit/identity-providers/token-endpoint.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

let service: TestServer

before(async () => {
  service = await startServer()
})
after(() => service.close())

/** The cookies of a browser, for every port of a host. The provider is of another site: what is strict does not come with a callback. */
const makeBrowser = () => {
  const jar = new Map<string, { readonly value: string; readonly isStrict: boolean }>()
  const keep = ({ headers }: Answer): void => {
    for (const line of (headers['set-cookie'] ?? '').split(/, (?=__Host-)/)) {
      const [, name, value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name === undefined) continue
      if (value === '') jar.delete(name)
      else jar.set(name, { value, isStrict: line.includes('SameSite=Strict') })
    }
  }
  const cookie = (withStrict: boolean): string =>
    [...jar].flatMap(([name, { value, isStrict }]) => (withStrict || !isStrict ? [`${name}=${value}`] : [])).join('; ')
  const ask = async (at: TestServer, path: string, withStrict = true): Promise<Answer> => {
    const answer = await send(at, { path, headers: { cookie: cookie(withStrict), ...OWN_PAGE } })
    keep(answer)
    return answer
  }
  return {
    names: () => [...jar.keys()],
    headers: () => ({ cookie: cookie(true), ...OWN_PAGE }),
    sessionStatus: async (at = service): Promise<number> => (await ask(at, '/console/session')).status,
    begin: async (at = service, to = ''): Promise<URLSearchParams> => {
      const { headers } = await ask(at, `/console/sign-in?${new URLSearchParams({ to }).toString()}`)
      return new URL(headers['location'] ?? '').searchParams
    },
    finish: (query: URLSearchParams, jwt: Granted['jwt'] = {}, at = service): Promise<Answer> => {
      const code = codeFor(grantedTo({ cookie: '', query }, { role: 'mintmark-viewer', ...jwt }))
      const back = new URLSearchParams({ state: query.get('state') ?? '', code })
      return ask(at, `/console/callback?${back.toString()}`, false)
    },
  }
}

const idsOf = async (sub: string): Promise<readonly string[]> => {
  const { json } = await send(service, { path: '/api/v1/sessions', headers: await admin(service) })
  const { data } = json as { readonly data: readonly { id: string; operator: { sub: string } }[] }
  return data.filter(({ operator }) => operator.sub === sub).map(({ id }) => id)
}

test('two tabs that sign in both arrive, whichever finishes first, and one session is left', async () => {
  for (const order of ['as begun', 'reversed']) {
    const browser = makeBrowser()
    const begun = [await browser.begin(service, '/console/tokens'), await browser.begin(service, '/console/history')]
    const places = new Set<string | undefined>()
    for (const query of order === 'reversed' ? begun.toReversed() : begun) {
      const answer = await browser.finish(query, { sub: order })
      assert.equal(answer.status, 303, answer.text)
      places.add(answer.headers['location'])
    }
    assert.deepEqual(places, new Set(['/console/history', '/console/tokens']))
    assert.equal(await browser.sessionStatus(), 200)
    assert.equal(browser.names().length, 2, browser.names().join())
    assert.equal((await idsOf(order)).length, 1)
  }
})

test('of five sign-ins that a browser begins the oldest is dropped, and the longest addresses leave most of the header to others', async () => {
  const browser = makeBrowser()
  const begun: URLSearchParams[] = []
  for (let n = 0; n < 5; n += 1) begun.push(await browser.begin(service, `/console/${String(n).repeat(245)}`))
  assert.equal(browser.names().length, 4)
  const { length } = browser.headers().cookie
  assert.ok(length < 3100, `${length} characters`)
  const [dropped, ...others] = begun
  assert.equal((await browser.finish(dropped ?? new URLSearchParams())).status, 400)
  for (const [n, query] of others.entries()) {
    const { status, headers } = await browser.finish(query)
    assert.deepEqual([status, headers['location']], [303, `/console/${String(n + 1).repeat(245)}`])
  }
  const longer = await browser.finish(await browser.begin(service, `/console/${'x'.repeat(246)}`))
  assert.equal(longer.headers['location'], '/console/')
})

test('cookies with the prefix of a sign-in and no state after it are neither counted nor dropped, whatever is in their names', async () => {
  const begun = async (cookie: string): Promise<readonly string[]> => {
    const { status, headers } = await send(service, { path: '/console/sign-in', headers: { cookie } })
    assert.equal(status, 302, cookie)
    return (headers['set-cookie'] ?? '').split(', ').map(line => line.slice(0, line.indexOf('=')))
  }
  const [own = ''] = await begun('')
  const prefix = own.slice(0, -43)
  const cookies = (names: readonly string[]): string => names.map(name => `${prefix}${name}=1`).join('; ')
  for (const odd of ['a b', 'a\tb', '\u00e9', '', 'x'.repeat(44), `${'x'.repeat(42)} `]) {
    assert.equal((await begun(cookies([odd, '2', '3', '4']))).length, 1, odd)
  }
  const states = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(43))
  assert.equal((await begun(cookies(['a b', ...states])))[0], `${prefix}${states[0]}`)
})

test('a new sign-in ends the session before it in the store, also that of another operator', async () => {
  const browser = makeBrowser()
  await browser.finish(await browser.begin(), { sub: 'first' })
  const stolen = browser.headers()
  const [ended] = await idsOf('first')
  await browser.finish(await browser.begin(), { sub: 'second' })
  assert.deepEqual([(await idsOf('first')).length, (await idsOf('second')).length], [0, 1])
  assert.equal((await send(service, { path: '/console/session', headers: stolen })).status, 401)
  const [act, ...more] = (await actsIn(service, 'session.end')).filter(({ subject }) => subject === ended)
  assert.deepEqual([act?.actor, more], [{ type: 'operator', iss: service.provider.issuer, sub: 'second' }, []])
  assert.equal(await browser.sessionStatus(), 200)
})

test('a sign-in that fails, or a digest that is none of a session, ends nothing', async () => {
  const browser = makeBrowser()
  await browser.finish(await browser.begin(), { sub: 'stays' })
  assert.equal((await browser.finish(await browser.begin(), { aud: 'https://elsewhere.example' })).status, 400)
  assert.equal((await idsOf('stays')).length, 1)
  const [name = ''] = browser.names().filter(one => one.includes('last-session'))
  for (const value of ['x', '0'.repeat(64), 'A'.repeat(64), '']) {
    const query = await browser.begin()
    const own = browser
      .headers()
      .cookie.split('; ')
      .filter(one => !one.startsWith(name))
    const code = codeFor(grantedTo({ cookie: '', query }, { role: 'mintmark-viewer', sub: 'other' }))
    const path = `/console/callback?${new URLSearchParams({ state: query.get('state') ?? '', code }).toString()}`
    const headers = { cookie: [...own, `${name}=${value}`].join('; ') }
    assert.equal((await send(service, { path, headers })).status, 303)
  }
  assert.equal((await idsOf('stays')).length, 1)
  assert.equal(await browser.sessionStatus(), 200)
})

test('two installations on one host, on two ports or below two paths, do not sign each other out', async () => {
  const other = await startServer({ path: '/other' })
  try {
    const browser = makeBrowser()
    await browser.finish(await browser.begin(), { sub: 'here' })
    const begunHere = await browser.begin()
    await browser.finish(await browser.begin(other), { sub: 'there' }, other)
    assert.deepEqual([await browser.sessionStatus(), await browser.sessionStatus(other)], [200, 200])
    assert.equal((await browser.finish(begunHere, { sub: 'here' })).status, 303)
    assert.deepEqual([await browser.sessionStatus(), await browser.sessionStatus(other)], [200, 200])
  } finally {
    await other.close()
  }
})
