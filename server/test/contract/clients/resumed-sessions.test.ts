// TLS sessions that are resumed: who shows no certificate again is the client that showed it at the beginning (RFC 8705 §7.1
// leaves it to TLS), and nobody becomes another in the middle of a connection.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { trust } from '../../../../testkit/keys/client-assertions.ts'
import { startWithCertificates } from '../../../../testkit/callers/client-certificates.ts'
import { CERTIFICATE } from '../../../../testkit/keys/loopback-certificate.ts'
import { CN, type MadeCertificate, makeAuthority, makeCertificate } from '../../../../testkit/keys/make-certificate.ts'
import type { AgentOfTest, TestServer } from '../../../../testkit/services/test-server.ts'

const SUBJECT = [[[CN, 'reports']]] as const
const authority = makeAuthority('trusted')

let service: TestServer
let agent: AgentOfTest

before(async () => {
  service = await startWithCertificates({ listener: { authorities: authority.cert } })
  agent = await service.createAgent()
  await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=reports' } })
})

after(() => service.close())

const made = (by = authority): MadeCertificate => makeCertificate({ subject: SUBJECT, authority: by })

/** The answer that comes over a connection by `session`, and the session for the next one. */
const askOver = async (version: SecureVersion, certificate: MadeCertificate | undefined, session?: Buffer) => {
  const { port } = new URL(service.baseUrl)
  const socket = connect({
    port: Number(port),
    host: '127.0.0.1',
    ca: CERTIFICATE,
    minVersion: version,
    maxVersion: version,
    ...(certificate !== undefined && { cert: certificate.cert, key: certificate.key }),
    ...(session !== undefined && { session }),
  })
  let kept = session
  socket.on('session', (one: Buffer) => (kept = one))
  await once(socket, 'secureConnect')
  const resumed = socket.isSessionReused()
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: agent.clientId }).toString()
  const head = [
    'POST /oauth/token HTTP/1.1',
    'host: 127.0.0.1',
    'connection: close',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const answer = await text(socket)
  return { status: Number(answer.split(' ')[1]), resumed, session: kept }
}

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`a session that is resumed has the certificate that it began with: ${version}`, async () => {
    const first = await askOver(version, made())
    assert.deepEqual([first.status, first.resumed], [200, false])
    // It shows none itself: the session stands for it.
    const again = await askOver(version, undefined, first.session)
    assert.deepEqual([again.status, again.resumed], [200, true])
    const bare = await askOver(version, undefined)
    assert.deepEqual([bare.status, bare.resumed], [401, false])
    const bareAgain = await askOver(version, undefined, bare.session)
    assert.deepEqual([bareAgain.status, bareAgain.resumed], [401, true])
    const foreign = await askOver(version, made(makeAuthority('other')))
    const foreignAgain = await askOver(version, undefined, foreign.session)
    assert.deepEqual([foreign.status, foreignAgain.status, foreignAgain.resumed], [401, 401, true])
  })
}

test('a connection of TLS 1.2 cannot be negotiated again, so that no certificate takes the place of another', async () => {
  const { port } = new URL(service.baseUrl)
  const { cert, key } = made()
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: CERTIFICATE, maxVersion: 'TLSv1.2', cert, key })
  await once(socket, 'secureConnect')
  const outcome = await new Promise<string>(resolve => {
    socket.on('error', ({ message }) => resolve(message))
    socket.renegotiate({ rejectUnauthorized: false }, error => resolve(error?.message ?? 'renegotiated'))
  })
  assert.match(outcome, /no renegotiation/)
  socket.destroy()
})
