// The offline column of docs/apis/verify-node.md, by the code of that page: what it does while the service is away.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { errors } from 'jose'
import { KeysUnread, makeCheck } from '../../../../proof/interop/typescript/verify-offline.ts'
import { issue } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const HOUR_MS = 3_600_000
const RESOURCE = 'https://orders.example'

/** A token, and a check that has read the keys, with `Date` in the hands of the test. */
const makeWorld = async (t: TestContext) => {
  const service = await startServer({ start: Date.now() })
  const agent = await service.createAgent({ resources: [RESOURCE], lifetimeSeconds: 86_400 })
  const token = await issue(service, agent, { resource: RESOURCE })
  const check = makeCheck(service.baseUrl, RESOURCE)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  assert.equal((await check(token))['sub'], agent.agentId)
  return { service, check, token }
}

/** The token with a `kid` that the key set has not. */
const withOtherKid = (token: string): string => {
  const [header = '', ...rest] = token.split('.')
  const changed = { ...(JSON.parse(Buffer.from(header, 'base64url').toString()) as object), kid: 'other' }
  return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.')
}

test('while the service is away tokens are accepted for an hour, and then not checked, which is no refusal', async t => {
  const { service, check, token } = await makeWorld(t)
  await service.close()
  t.mock.timers.tick(HOUR_MS - 1)
  await check(token)
  await assert.rejects(check(withOtherKid(token)), KeysUnread)
  await check(token)
  t.mock.timers.tick(1)
  await assert.rejects(check(token), KeysUnread)
})

test('a token that is wrong is refused, whether the service is there or away', async t => {
  const { service, check, token } = await makeWorld(t)
  await assert.rejects(check(withOtherKid(token)), errors.JWKSNoMatchingKey)
  await assert.rejects(makeCheck(service.baseUrl, 'https://mail.example')(token), errors.JWTClaimValidationFailed)
  await service.close()
  await assert.rejects(check(`${token.slice(0, -4)}AAAA`), errors.JWSSignatureVerificationFailed)
})

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  'that hangs': () => undefined,
  'that fails': (_request, response) => response.writeHead(503).end('{"error":"temporarily_unavailable"}'),
  'of which something else answers': (_request, response) => response.end('<html>'),
}

for (const [name, answer] of Object.entries(ANSWERS)) {
  test(`with keys that were never read, of a service ${name}, no token is refused, and none is waited for long`, async t => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    const header = Buffer.from('{"alg":"ES256","kid":"x","typ":"at+jwt"}').toString('base64url')
    await assert.rejects(makeCheck(`http://127.0.0.1:${address.port}`, RESOURCE)(`${header}.e30.AAAA`), KeysUnread)
  })
}
