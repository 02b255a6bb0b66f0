// The metadata of the operators' identity provider: judged as they are read, and read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { send } from '../../../../testkit/callers/requests.ts'
import { signIn } from '../../../../testkit/callers/sessions.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

test('an endpoint of the provider that is missing or no https address is an outage that the log names', async t => {
  const fresh = await startServer()
  t.after(fresh.close)
  const { signInMetadata } = fresh.provider
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    const { [name]: right } = signInMetadata
    for (const wrong of [undefined, 5, {}, 'javascript:alert(1)', 'file:///etc/passwd', 'http://a.example']) {
      signInMetadata[name] = wrong
      const { status, text } = await send(fresh, { path: '/console/sign-in' })
      assert.equal(status, 503, JSON.stringify(wrong))
      assert.match(text, /The identity provider does not answer: try again\./)
    }
    assert.match(fresh.log(), new RegExp(`"reason":"the metadata of the identity provider names no usable ${name}"`))
    signInMetadata[name] = right
  }
  await signIn(fresh)
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
