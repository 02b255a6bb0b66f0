// RFC 8705 behind a proxy: certificates in a header, taken from the addresses that are listed and from no other.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { makeCertificateFinder } from '../../../src/http/wire/source.ts'
import { clientCertificates } from '../../../src/keys/clients/client-certificates.ts'
import { assertRefused, trust } from '../../../../testkit/keys/client-assertions.ts'
import {
  askBySecret,
  askShowing,
  post,
  showing,
  startWithCertificates,
  tokenOf,
} from '../../../../testkit/callers/client-certificates.ts'
import { CN, type MadeCertificate, makeAuthority, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import { type Answer, assertError, claimsOf, get, issue, sendBytes } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const HEADER = {
  name: 'client-cert',
  form: 'rfc9440',
  isVerified: true,
  proxies: ['127.0.0.2/32', '127.0.1.0/24'],
} as const

const FROM_PROXY = { agent: false, localAddress: '127.0.0.2' } as const
const FROM_NETWORK = { agent: false, localAddress: '127.0.1.9' } as const
const FROM_ELSEWHERE = { agent: false, localAddress: '127.0.0.3' } as const
const UNLISTED = 'The header client-cert is taken from the proxies of this service only.'
const MALFORMED = 'The header client-cert is not one certificate in the form rfc9440.'

const certificate = makeCertificate({ subject: [[[CN, 'reports']]] })

let service: TestServer
let agent: AgentOfTest

before(async () => {
  service = await startWithCertificates({ header: HEADER })
})

beforeEach(async () => {
  agent = await service.createAgent()
  await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=reports' } })
})

after(() => service.close())

const header = ({ der }: MadeCertificate): string => `:${Buffer.from(der).toString('base64')}:`

const ask = (connection: object, value: string | string[] = header(certificate)): Promise<Answer> =>
  askShowing(service, agent, { connection, headers: { 'client-cert': value } })

test('a listed proxy says whose certificate it is, by its address or its network', async () => {
  for (const connection of [FROM_PROXY, FROM_NETWORK]) {
    assert.equal(claimsOf(tokenOf(await ask(connection)))['sub'], agent.agentId)
  }
})

test('from anybody else the header is 400, whatever is in it, whatever else is right, and whatever caller it claims to be', async () => {
  for (const connection of [FROM_ELSEWHERE, { agent: false }]) {
    for (const value of [header(certificate), '', 'x']) {
      assertError(await ask(connection, value), 400, 'invalid_request', UNLISTED)
    }
    const headers = { 'client-cert': header(certificate), 'x-forwarded-for': '127.0.0.2', forwarded: 'for=127.0.0.2' }
    assertError(await askBySecret(service, agent, { connection, headers }), 400, 'invalid_request', UNLISTED)
  }
  const way = { connection: FROM_ELSEWHERE, headers: { 'client-cert': header(certificate) } }
  const fields = { token: 'x', client_id: agent.clientId }
  assertError(await post(service, '/oauth/revoke', fields, way), 400, 'invalid_request', UNLISTED)
})

test('two headers are 400, also with one value or with nothing in the first', async () => {
  const twice = 'The header client-cert is given more than once.'
  const value = header(certificate)
  for (const values of [
    [value, value],
    ['', value],
    [value, ''],
  ]) {
    assertError(await ask(FROM_PROXY, values), 400, 'invalid_request', twice)
  }
  assertError(await ask(FROM_PROXY, `${value}, ${value}`), 400, 'invalid_request', MALFORMED)
})

test('what is no certificate is 400, for every client', async () => {
  for (const value of ['x', '::', ':AAAA:', certificate.cert.replaceAll('\n', ''), header(certificate).slice(1)]) {
    assertError(await ask(FROM_PROXY, value), 400, 'invalid_request', MALFORMED)
    const way = { connection: FROM_PROXY, headers: { 'client-cert': value } }
    assertError(await askBySecret(service, agent, way), 400, 'invalid_request', MALFORMED)
  }
})

test('no header, and an empty one, say that there was no certificate', async () => {
  assertRefused(await askShowing(service, agent, { connection: FROM_PROXY }))
  assertRefused(await ask(FROM_PROXY, ''))
  assert.equal((await askBySecret(service, agent, { connection: FROM_PROXY })).status, 200)
})

test('the proxy has verified the chain, and nothing else: subject and time are looked at here', async () => {
  const issued = makeCertificate({ subject: [[[CN, 'reports']]], authority: makeAuthority('of the proxy') })
  tokenOf(await ask(FROM_PROXY, header(issued)))
  assertRefused(await ask(FROM_PROXY, header(makeCertificate({ subject: [[[CN, 'other']]] }))))
  const past = { notBefore: 0, notAfter: Date.now() - 3_600_000 }
  assertRefused(await ask(FROM_PROXY, header(makeCertificate({ subject: [[[CN, 'reports']]], ...past }))))
})

test('a client revokes its own token through the proxy', async () => {
  const token = await issue(service, agent)
  const way = { connection: FROM_PROXY, headers: { 'client-cert': header(certificate) } }
  assert.equal((await post(service, '/oauth/revoke', { token, client_id: agent.clientId }, way)).status, 200)
})

test('with a chain that nobody verified the metadata has no tls_client_auth, and a subject is worth nothing', async () => {
  const open = await startWithCertificates({ header: { ...HEADER, isVerified: false } })
  try {
    const own = await open.createAgent()
    await trust(open, own, { tls_client_auth: { subject_dn: 'CN=reports' } })
    const way = { connection: FROM_PROXY, headers: { 'client-cert': header(certificate) } }
    assertRefused(await askShowing(open, own, way))
    await trust(open, own, { self_signed_tls_client_auth: { certificates: [certificate.cert] } })
    tokenOf(await askShowing(open, own, way))
    assert.deepEqual(await methodsOf(open), ['self_signed_tls_client_auth'])
    assert.deepEqual(await methodsOf(service), ['tls_client_auth'])
  } finally {
    await open.close()
  }
})

const methodsOf = async (one: TestServer): Promise<readonly string[] | undefined> => {
  const { json } = await get(one, '/.well-known/oauth-authorization-server')
  const { token_endpoint_auth_methods_supported: methods } = json as Readonly<Record<string, readonly string[]>>
  return methods?.slice(3)
}

test('where no header is configured it is one that nobody knows', async () => {
  const plain = await startServer()
  try {
    const own = await plain.createAgent()
    await trust(plain, own, { tls_client_auth: { subject_dn: 'CN=reports' } })
    const headers = { 'client-cert': header(certificate) }
    assertRefused(await askShowing(plain, own, { headers }))
    assert.equal((await askBySecret(plain, own, { headers })).status, 200)
    assert.deepEqual(await methodsOf(plain), [])
  } finally {
    await plain.close()
  }
})

test('a proxy that connects by TLS with a certificate of its own speaks for its clients, not for itself', async () => {
  const authority = makeAuthority('of both')
  const own = makeCertificate({ subject: [[[CN, 'proxy']]], authority })
  const both = await startWithCertificates({ header: HEADER, listener: { authorities: authority.cert } })
  try {
    const proxy = await both.createAgent()
    await trust(both, proxy, { tls_client_auth: { subject_dn: 'CN=proxy' } })
    const behind = await both.createAgent()
    await trust(both, behind, { tls_client_auth: { subject_dn: 'CN=reports' } })
    const connection = { ...showing(own), localAddress: '127.0.0.2' }
    assertRefused(await askShowing(both, proxy, { connection }))
    tokenOf(await askShowing(both, behind, { connection, headers: { 'client-cert': header(certificate) } }))
    tokenOf(await askShowing(both, proxy, { connection: { ...connection, localAddress: '127.0.0.3' } }))
  } finally {
    await both.close()
  }
})

test('bytes that are no text, and a header of the largest size, are refused', async () => {
  const body = `grant_type=client_credentials&client_id=${agent.clientId}`
  for (const value of [':\xff\xfe:', `:${'A'.repeat(14_000)}:`]) {
    const head = `POST /oauth/token HTTP/1.1\r\nhost: ${new URL(service.baseUrl).host}\r\nconnection: close\r\n`
    const rest = `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const answer = await sendBytes(service, `${head}Client-Cert: ${value}\r\n${rest}`)
    assert.match(answer, /^HTTP\/1\.1 400 /)
  }
})

test('an address of IPv4 is listed also where the system shows it as one of IPv6, and a peer without one is not', () => {
  const proxies = ['192.0.2.0/24', '2001:db8::/32']
  const taken = { header: { ...HEADER, proxies }, listener: null }
  const find = makeCertificateFinder(clientCertificates, taken)
  const values = { headers: { 'client-cert': '' }, headersDistinct: { 'client-cert': [''] } }
  const from = (remoteAddress: string | undefined) =>
    find({ raw: { ...values, socket: { remoteAddress } } } as unknown as FastifyRequest)
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1']) assert.deepEqual(from(address), {}, address)
  for (const address of ['192.0.3.7', '::ffff:192.0.3.7', '2001:db9::1', '::1', undefined]) {
    assert.ok('refusal' in from(address), String(address))
  }
})
