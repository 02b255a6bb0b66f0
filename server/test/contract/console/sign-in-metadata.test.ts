// The metadata of the operators' identity provider: judged as they are read, and read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { send } from '../../../../testkit/callers/requests.ts'
import { beginSignIn, finishSignIn, grantedTo, signIn } from '../../../../testkit/callers/sessions.ts'
import { codeFor } from '../../../../testkit/identity-providers/token-endpoint.ts'
import { strikePorts } from '../../../../testkit/services/struck-ports.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'

test('an endpoint of the provider that is missing or no https address is an outage that the log names', async t => {
  const fresh = await startServer()
  t.after(fresh.close)
  const { signInMetadata } = fresh.provider
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    const { [name]: right } = signInMetadata
    for (const wrong of [undefined, 5, {}, 'javascript:alert(1)', 'file:///etc/passwd', 'http://a.example']) {
      signInMetadata[name] = wrong
      const { status, headers, text } = await send(fresh, { path: '/console/sign-in' })
      assert.equal(status, 503, JSON.stringify(wrong))
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'/)
      assert.notEqual(headers['retry-after'], undefined)
      assert.match(text, /The identity provider does not answer: try again\./)
    }
    assert.match(fresh.log(), new RegExp(`"reason":"the metadata of the identity provider names no usable ${name}"`))
    signInMetadata[name] = right
  }
  await signIn(fresh)
})

test('the page of a sign-in that cannot begin leads back to the screen that was asked for, and nowhere else', async t => {
  const fresh = await startServer()
  t.after(fresh.close)
  fresh.provider.fail('error')
  const backOf = async (to: string): Promise<string | undefined> => {
    const { status, text } = await send(fresh, { path: `/console/sign-in?${new URLSearchParams({ to }).toString()}` })
    assert.equal(status, 503)
    return /href="([^"]*)">Back to the console</.exec(text)?.[1]
  }
  assert.equal(await backOf('/console/tokens?a=1&b=2#x'), '/console/tokens?a=1&amp;b=2#x')
  assert.equal(await backOf('/console/"><script>'), '/console/%22%3E%3Cscript%3E')
  for (const to of ['//evil.example', 'javascript:alert(1)', '']) assert.equal(await backOf(to), '/console/')
})

test('why a sign-in has no answer is text on its page, whatever it quotes', async t => {
  const ports = strikePorts(['operators'])
  const fresh = await startServer({ break: ports.break })
  t.after(fresh.close)
  const begun = await beginSignIn(fresh)
  ports.struck.set('operators.verify', () => Promise.reject(new Unavailable('keys', { toCaller: '<b>&</b>' })))
  const { status, text } = await finishSignIn(fresh, begun, { code: codeFor(grantedTo(begun)) })
  assert.equal(status, 503)
  assert.match(text, /<p>&lt;b&gt;&amp;&lt;\/b&gt;\n/)
})

test('the metadata of the provider are read again after ten minutes, and those before go on where they cannot be', async t => {
  const fresh = await startServer()
  t.after(fresh.close)
  const { signInMetadata } = fresh.provider
  const locationOf = async () => (await send(fresh, { path: '/console/sign-in' })).headers['location'] ?? ''
  const first = await locationOf()
  const { authorization_endpoint: right } = signInMetadata
  signInMetadata['authorization_endpoint'] = 5
  fresh.clock.advance(600_000)
  assert.equal(new URL(await locationOf()).pathname, new URL(first).pathname)
  signInMetadata['authorization_endpoint'] = `${String(right)}/moved`
  fresh.clock.advance(600_000)
  assert.match(await locationOf(), /\/moved\?/)
})
