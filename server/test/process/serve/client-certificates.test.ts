// `mintmark serve` with certificates of clients from both sources at once, as its variables say, in two threads.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { askShowing, showing, tokenOf } from '../../../../testkit/callers/client-certificates.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../../../testkit/keys/loopback-certificate.ts'
import { CN, makeAuthority, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { claimsOf, postJson } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'
import { freePorts, KEY, makeFolder, run, start } from '../../../../testkit/commands/run-mintmark.ts'

const authority = makeAuthority('clients')
const subject = [[[CN, 'reports']]] as const
const own = makeCertificate({ subject, authority })
const cnf = { 'x5t#S256': own.thumbprint }
const [PROXY, ELSEWHERE] = [{ localAddress: '127.0.0.2' }, { localAddress: '127.0.0.3' }]

const startServing = async (t: TestContext) => {
  const folder = makeFolder(t)
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const [port] = await freePorts()
  const baseUrl = `https://127.0.0.1:${port}`
  const variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: baseUrl,
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    MINTMARK_WORKERS: process.platform === 'linux' ? '2' : '1',
    MINTMARK_TLS_CERT_FILE: file('server.pem', CERTIFICATE),
    MINTMARK_TLS_KEY_FILE: file('server.key', PRIVATE_KEY),
    MINTMARK_TLS_CLIENT_CA_FILE: file('authorities.pem', authority.cert),
    MINTMARK_TRUSTED_PROXIES: PROXY.localAddress,
    MINTMARK_CLIENT_CERT_HEADER: 'X-Client-Cert pem',
    MINTMARK_CLIENT_CERT_CHAIN: 'verified',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  const json = (...args: readonly string[]) =>
    JSON.parse(run(folder, [...args, '--json'], variables).stdout) as Readonly<Record<string, string>>
  // Requests need no more of a service than where it is.
  return { json, service: { baseUrl } as unknown as TestServer }
}

test('serve takes certificates from its connections and from its proxies, and binds tokens to them', async t => {
  const { json, service } = await startServing(t)
  const { agent_id: agentId = '' } = json(
    'agent',
    'create',
    '--name',
    'a',
    '--scope',
    'db:read',
    '--default-scope',
    'db:read',
  )
  const { api_key: key = '' } = json('api-key', 'create', '--name', 'k', '--permission', 'agents:write')
  const path = `/api/v1/agents/${agentId}`
  const created = await postJson(
    service,
    `${path}/credentials`,
    { name: 'its certificate', tls_client_auth: { subject_dn: 'CN=reports' } },
    { 'x-api-key': key },
  )
  assert.equal(created.status, 201, created.text)

  const agent: AgentOfTest = { agentId, clientId: agentId, clientSecret: '' }
  const headers = { 'x-client-cert': encodeURIComponent(own.cert) }
  const stranger = makeCertificate({ subject, authority: makeAuthority('others') })
  const statusOf = async (way: Parameters<typeof askShowing>[2]) => (await askShowing(service, agent, way)).status
  // A new connection each time: either thread may take it.
  for (let n = 0; n < 4; n += 1) {
    assert.equal(await statusOf({ connection: showing(own) }), 200)
    assert.equal(await statusOf({ connection: { agent: false, ...PROXY }, headers }), 200)
    assert.equal(await statusOf({ connection: showing(stranger) }), 401)
    assert.equal(await statusOf({ connection: { agent: false, ...PROXY } }), 401)
    assert.equal(await statusOf({ connection: { agent: false, ...ELSEWHERE }, headers }), 400)
  }
  assert.equal(claimsOf(tokenOf(await askShowing(service, agent, { connection: showing(own) })))['cnf'], undefined)
  const bound = await makeBound(service, key)
  assert.deepEqual(claimsOf(tokenOf(await askShowing(service, bound, { connection: showing(own) })))['cnf'], cnf)
})

/** Another agent with the same certificate, whose tokens are bound to it. */
const makeBound = async (service: TestServer, key: string): Promise<AgentOfTest> => {
  const body = {
    name: 'b',
    scope: 'db:read',
    default_scope: 'db:read',
    tls_client_certificate_bound_access_tokens: true,
  }
  const made = await postJson(service, '/api/v1/agents', body, { 'x-api-key': key })
  const { agent_id: agentId } = made.json as { agent_id: string }
  const pinned = { name: 'its certificate', self_signed_tls_client_auth: { certificates: [own.cert] } }
  await postJson(service, `/api/v1/agents/${agentId}/credentials`, pinned, { 'x-api-key': key })
  return { agentId, clientId: agentId, clientSecret: '' }
}
