// RFC 8705 with a client that nobody here wrote, unmodified, over TLS with a certificate.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { trust } from '../../../../testkit/keys/client-assertions.ts'
import { startWithCertificates } from '../../../../testkit/callers/client-certificates.ts'
import { CERTIFICATE } from '../../../../testkit/keys/loopback-certificate.ts'
import { CN, makeAuthority, makeCertificate, O } from '../../../../testkit/keys/make-certificate.ts'
import { claimsOf, introspect } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE, type TestServer } from '../../../../testkit/services/test-server.ts'

const authority = makeAuthority('clients')
const certificate = makeCertificate({ subject: [[[O, 'Example']], [[CN, 'reports']]], authority })
const cnf = { 'x5t#S256': certificate.thumbprint }
const PARAMETERS = { scope: 'db:read', resource: AUDIENCE }

let service: TestServer
let agent: AgentOfTest
let apiKey: string
let tls: Agent

before(async () => {
  service = await startWithCertificates({ listener: { authorities: authority.cert } })
  agent = await service.createAgent({ certificateBound: true })
  await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=reports,O=Example' } })
  apiKey = (await service.createApiKey('tokens:introspect')).key
  tls = new Agent({ ca: CERTIFICATE, cert: certificate.cert, key: certificate.key, keepAlive: true })
})

after(async () => {
  tls.destroy()
  await service.close()
})

type Sent = { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: unknown }

/** What these libraries call for a request: fetch with a certificate, which Node's own cannot show. */
const fetchShowing = async (url: string, { method, headers, body }: Sent): Promise<Response> => {
  const request = httpsRequest(url, { agent: tls, method, headers })
  request.end(body instanceof URLSearchParams ? body.toString() : undefined)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const names = Object.entries(response.headers).map(([name, value]): [string, string] => [name, [value].flat().join()])
  return new Response(await text(response), { status: response.statusCode ?? 0, headers: names })
}

test('oauth4webapi finds tls_client_auth, gets a token that is bound to its certificate, and revokes it', async () => {
  const options = { [oauth.customFetch]: fetchShowing }
  const issuer = new URL(service.baseUrl)
  const found = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  assert.equal(server.tls_client_certificate_bound_access_tokens, true)
  assert.ok(server.token_endpoint_auth_methods_supported?.includes('tls_client_auth'))
  const client: oauth.Client = { client_id: agent.clientId, use_mtls_endpoint_aliases: true }
  const asked = await oauth.clientCredentialsGrantRequest(server, client, oauth.TlsClientAuth(), PARAMETERS, options)
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, asked)
  assert.deepEqual(claimsOf(token)['cnf'], cnf)
  const reported = (await introspect(service, apiKey, token)).json as { active: boolean; cnf: unknown }
  assert.deepEqual([reported.active, reported.cnf], [true, cnf])
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.TlsClientAuth(), token, options),
  )
  assert.deepEqual((await introspect(service, apiKey, token)).json, { active: false })
})

test('openid-client gets a token by its certificate, and revokes it', async () => {
  const own = await openid.discovery(
    new URL(service.baseUrl),
    agent.clientId,
    { use_mtls_endpoint_aliases: true },
    openid.TlsClientAuth(),
    { [openid.customFetch]: fetchShowing },
  )
  const { access_token: token } = await openid.clientCredentialsGrant(own, PARAMETERS)
  assert.deepEqual(claimsOf(token)['cnf'], cnf)
  await openid.tokenRevocation(own, token)
  assert.deepEqual((await introspect(service, apiKey, token)).json, { active: false })
})
