// An agent that a certificate names (RFC 8705): its fetch presents the certificate, over real TLS.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { startWithCertificates } from '../../../testkit/callers/client-certificates.ts'
import { claimsOf } from '../../../testkit/callers/requests.ts'
import { trust } from '../../../testkit/keys/client-assertions.ts'
import { CERTIFICATE } from '../../../testkit/keys/loopback-certificate.ts'
import { CN, makeAuthority, makeCertificate } from '../../../testkit/keys/make-certificate.ts'
import type { AgentOfTest, TestServer } from '../../../testkit/services/test-server.ts'
import { TokenRefused } from '../src/tokens/token-errors.ts'
import { createTokenSource } from '../src/tokens/token-source.ts'
import type { Fetch } from '../src/wire/answer.ts'

const authority = makeAuthority('trusted')
const certificate = makeCertificate({ subject: [[[CN, 'reports']]], authority })
let service: TestServer
let agent: AgentOfTest

before(async () => {
  service = await startWithCertificates({ listener: { authorities: authority.cert } })
  agent = await service.createAgent()
  await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=reports' } })
})
after(() => service.close())

/** A fetch with a certificate, as a dispatcher of undici has one. */
const fetchShowing =
  (shown: { readonly cert?: string; readonly key?: string }): Fetch =>
  async (input, init) => {
    const { url, method, headers, body } = {
      url: input instanceof Request ? input.url : String(input),
      method: 'GET',
      ...init,
    }
    const sent = request(url, {
      method,
      headers: headers as Record<string, string>,
      ca: CERTIFICATE,
      agent: false,
      ...shown,
    })
    sent.end(body as string | undefined)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return new Response(Uint8Array.from(await buffer(answer)), { status: answer.statusCode ?? 0 })
  }

const sourceWith = (fetch: Fetch) =>
  createTokenSource({ issuer: service.baseUrl, clientId: agent.clientId, clientCertificate: true, fetch })

test('a certificate that the fetch of the caller presents gets a token, with the client id alone', async () => {
  const { cert, key } = certificate
  const { value } = await sourceWith(fetchShowing({ cert, key })).getToken()
  assert.equal(claimsOf(value)['client_id'], agent.clientId)
})

test('without the certificate the client is refused', async () => {
  await assert.rejects(sourceWith(fetchShowing({})).getToken(), (error: unknown) => {
    assert.ok(error instanceof TokenRefused)
    return error.error === 'invalid_client'
  })
})
