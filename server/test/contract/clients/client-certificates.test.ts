// RFC 8705 where TLS ends at the service: agents that authenticate themselves by a certificate, over real connections.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { assertRefused, credentialsOf, trust } from '../../../../testkit/keys/client-assertions.ts'
import {
  askBySecret,
  askShowing,
  post,
  showing,
  startWithCertificates,
  tokenOf,
} from '../../../../testkit/callers/client-certificates.ts'
import {
  type AlternativeName,
  C,
  type CertificateRequest,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  O,
} from '../../../../testkit/keys/make-certificate.ts'
import { assertError, claimsOf, get, introspect } from '../../../../testkit/callers/requests.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'

const HOUR_MS = 3_600_000
const SUBJECT = [[[C, 'DE']], [[O, 'Example']], [[CN, 'reports']]] as const
const DN = 'CN=reports,O=Example,C=DE'

const authority = makeAuthority('trusted')
const other = makeAuthority('other')

const made = (request: CertificateRequest = {}): MadeCertificate =>
  makeCertificate({ subject: SUBJECT, authority, ...request })

let service: TestServer
let agent: AgentOfTest
let introspector: string

before(async () => {
  service = await startWithCertificates({ listener: { authorities: authority.cert } })
  introspector = (await service.createApiKey('tokens:introspect')).key
})

beforeEach(async () => {
  agent = await service.createAgent()
})

after(() => service.close())

const ask = (certificate: MadeCertificate, fields = {}) =>
  askShowing(service, agent, { connection: showing(certificate) }, fields)

const trustSubject = (names: object = { subject_dn: DN }): Promise<string> =>
  trust(service, agent, { tls_client_auth: names })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector, token)).json as { active: unknown }).active

const causes = (): readonly string[] =>
  [...service.log().matchAll(/"inside":"([^"]*)"/g)].map(([, cause = '']) => cause)

test('a certificate of the authority with the subject of the agent gets a token, with client_id and nothing else', async () => {
  const id = await trustSubject()
  const token = tokenOf(await ask(made()))
  const { sub, client_id, cnf } = claimsOf(token)
  assert.deepEqual([sub, client_id, cnf], [agent.agentId, agent.clientId, undefined])
  const path = `/api/v1/tokens?agent_id=${agent.agentId}`
  const { data } = (await call(service, { method: 'GET', path }, await admin(service))).json as { data: object[] }
  assert.deepEqual(
    data.map(record => 'credential_id' in record && record.credential_id),
    [id],
  )
})

const NAMES: Readonly<Record<string, readonly [string, AlternativeName]>> = {
  san_dns: ['Reports.example', [0x82, 'reports.EXAMPLE']],
  san_uri: ['spiffe://example.org/reports', [0x86, 'spiffe://example.org/reports']],
  san_ip: ['2001:DB8::7', [0x87, Buffer.from('20010db8000000000000000000000007', 'hex')]],
  san_email: ['reports@Example.org', [0x81, 'reports@example.org']],
}

for (const [member, [name, alternative]] of Object.entries(NAMES)) {
  test(`an agent may be known by ${member}, among others that its certificate has`, async () => {
    await trustSubject({ [member]: name })
    tokenOf(await ask(made({ subject: [], names: [[0x82, 'another.example'], alternative] })))
    assertRefused(await ask(made({ names: [[0x82, 'another.example']] })))
    assertRefused(await ask(made({ subject: [[[CN, name]]] })))
  })
}

const WRONG: Readonly<Record<string, readonly [CertificateRequest, string]>> = {
  'another subject': [{ subject: [[[CN, 'other']]] }, 'the certificate has not the subject_dn of the client'],
  'its subject in another order': [
    { subject: SUBJECT.toReversed() },
    'the certificate has not the subject_dn of the client',
  ],
  'more than its subject': [
    { subject: [...SUBJECT, [[CN, 'more']]] },
    'the certificate has not the subject_dn of the client',
  ],
  'its subject in another case': [
    { subject: [[[C, 'DE']], [[O, 'example']], [[CN, 'reports']]] },
    'the certificate has not the subject_dn of the client',
  ],
  'its subject by another authority': [
    { authority: other },
    'no authority that is trusted vouches for the certificate',
  ],
  'its subject by another authority of the same name': [
    { authority: makeAuthority('trusted') },
    'no authority that is trusted vouches for the certificate',
  ],
  'its subject by a certificate that is no authority': [
    { authority: made() },
    'no authority that is trusted vouches for the certificate',
  ],
  'the purpose of a server': [{ purpose: 'server' }, 'no authority that is trusted vouches for the certificate'],
  'a time that is over': [
    { notBefore: Date.now() - 2 * HOUR_MS, notAfter: Date.now() - HOUR_MS },
    'the certificate has expired',
  ],
  'a time that is to come': [{ notBefore: Date.now() + HOUR_MS }, 'the certificate is not valid yet'],
}

for (const [what, [request, cause]] of Object.entries(WRONG)) {
  test(`a certificate with ${what} is refused as any client is, and the log says why`, async () => {
    await trustSubject()
    assertRefused(await ask(made(request)))
    assert.equal(causes().at(-1), cause)
  })
}

test('a certificate that signed itself has no authority, whatever it says', async () => {
  await trustSubject()
  assertRefused(await ask(makeCertificate({ subject: SUBJECT })))
})

test('without a certificate, and without a client_id beside one, nobody is recognized', async () => {
  await trustSubject()
  assertRefused(await askShowing(service, agent))
  const way = { connection: showing(made()) }
  assertRefused(await post(service, '/oauth/token', { grant_type: 'client_credentials' }, way))
})

test('the certificate of one agent is none of another, and only the credentials of that one are looked at', async () => {
  await trustSubject()
  const neighbour = await service.createAgent()
  const way = { connection: showing(made()) }
  assertRefused(await askShowing(service, neighbour, way))
  assertRefused(await askShowing(service, { ...agent, clientId: 'nobody' }, way))
  await trust(service, neighbour, { tls_client_auth: { subject_dn: DN } })
  assert.equal(claimsOf(tokenOf(await askShowing(service, neighbour, way)))['sub'], neighbour.agentId)
  assert.equal(claimsOf(tokenOf(await askShowing(service, agent, way)))['sub'], agent.agentId)
})

test('a certificate beside another authentication stands in for none', async () => {
  await trustSubject()
  const way = { connection: showing(made()) }
  assertRefused(await askBySecret(service, { ...agent, clientSecret: 'wrong' }, way))
  const basic = { authorization: `Basic ${Buffer.from(`${agent.clientId}:wrong`).toString('base64')}` }
  assertRefused(await askShowing(service, agent, { ...way, headers: basic }))
  assert.equal((await askBySecret(service, agent, { connection: showing(makeCertificate()) })).status, 200)
})

test('a certificate is refused from the second after its last by the clock of the service, also where TLS took it', async () => {
  const late = await startWithCertificates({ listener: { authorities: authority.cert } })
  try {
    const own = await late.createAgent()
    await trust(late, own, { tls_client_auth: { subject_dn: DN } })
    const second = Math.floor(Date.now() / 1000) * 1000
    const way = { connection: showing(made({ notAfter: second + HOUR_MS })) }
    late.clock.advance(second + HOUR_MS + 999 - late.clock.wall())
    tokenOf(await askShowing(late, own, way))
    late.clock.advance(1)
    assertRefused(await askShowing(late, own, way))
  } finally {
    await late.close()
  }
})

test('one of the certificates that an agent pins is taken, whatever issuer signed it, until it has expired', async () => {
  const [first, second] = [makeCertificate(), made()]
  await trust(service, agent, { self_signed_tls_client_auth: { certificates: [first.cert, second.cert] } })
  for (const certificate of [first, second]) tokenOf(await ask(certificate))
  assertRefused(await ask(makeCertificate()))
  const expired = makeCertificate({ notBefore: 0, notAfter: Date.now() - HOUR_MS })
  await trust(service, agent, { self_signed_tls_client_auth: { certificates: [expired.cert] } })
  assertRefused(await ask(expired))
})

test('a credential that is revoked or has expired takes no certificate, and another of the same name does', async () => {
  const certificate = made()
  const id = await trustSubject()
  const passing = { expires_at: new Date(service.clock.wall() + HOUR_MS).toISOString() }
  const token = tokenOf(await ask(certificate))
  const path = `${credentialsOf(agent)}/${id}/revoke`
  await call(service, { method: 'POST', path, body: {} }, await admin(service))
  assert.equal(await isActive(token), false)
  assertRefused(await ask(certificate))
  await trust(service, agent, { ...passing, tls_client_auth: { subject_dn: DN } })
  tokenOf(await ask(certificate))
  await trustSubject()
  service.clock.advance(HOUR_MS)
  tokenOf(await ask(certificate))
})

test('a disabled agent gets nothing by its certificate', async () => {
  await trustSubject()
  await service.disableAgent(agent.agentId)
  assertRefused(await ask(made()))
  assert.equal(causes().at(-1), 'the agent is disabled')
})

test('a client revokes its own token by its certificate, and not by another', async () => {
  await trustSubject()
  const token = tokenOf(await ask(made()))
  const revoke = (certificate: MadeCertificate) =>
    post(service, '/oauth/revoke', { token, client_id: agent.clientId }, { connection: showing(certificate) })
  assertRefused(await revoke(made({ authority: other })))
  assert.equal(await isActive(token), true)
  const done = await revoke(made())
  assert.deepEqual([done.status, done.json], [200, {}])
  assert.equal(await isActive(token), false)
})

test('the metadata name what certificates are good for', async () => {
  const { json } = await get(service, '/.well-known/oauth-authorization-server')
  const { token_endpoint_auth_methods_supported: methods, ...rest } = json as Readonly<Record<string, unknown>>
  const expected = [
    'client_secret_post',
    'client_secret_basic',
    'private_key_jwt',
    'tls_client_auth',
    'self_signed_tls_client_auth',
  ]
  assert.deepEqual([methods, rest['revocation_endpoint_auth_methods_supported']], [expected, expected])
  assert.equal(rest['tls_client_certificate_bound_access_tokens'], true)
  assert.equal(rest['mtls_endpoint_aliases'], undefined)
})

test('without an authority of its own the service asks for certificates all the same, and vouches for none', async () => {
  const open = await startWithCertificates({ listener: { authorities: null } })
  try {
    const own = await open.createAgent()
    await trust(open, own, { tls_client_auth: { subject_dn: DN } })
    const certificate = made()
    assertRefused(await askShowing(open, own, { connection: showing(certificate) }))
    await trust(open, own, { self_signed_tls_client_auth: { certificates: [certificate.cert] } })
    tokenOf(await askShowing(open, own, { connection: showing(certificate) }))
    const { json } = await get(open, '/.well-known/oauth-authorization-server')
    const { token_endpoint_auth_methods_supported: methods } = json as Readonly<Record<string, readonly string[]>>
    assert.deepEqual(methods?.slice(3), ['self_signed_tls_client_auth'])
  } finally {
    await open.close()
  }
})

test('a token that only its certificate binds is got by the secret, with a certificate of nobody', async () => {
  const own = await service.createAgent({ certificateBound: true })
  const certificate = makeCertificate()
  const token = tokenOf(await askBySecret(service, own, { connection: showing(certificate) }))
  assert.deepEqual(claimsOf(token)['cnf'], { 'x5t#S256': certificate.thumbprint })
  const description =
    'This agent gets no token without a client certificate: make the TLS connection with one (RFC 8705).'
  assertError(await askBySecret(service, own), 400, 'invalid_request', description)
})
