// The agents whose tokens the Python package gets in its tests: one for each credential, at a service, and one at a service
// that requests certificates.
import { generateKeyPairSync } from 'node:crypto'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import { startWithCertificates } from '../../testkit/callers/client-certificates.ts'
import { registerKeys, secondsOf, trust } from '../../testkit/keys/client-assertions.ts'
import { CERTIFICATE } from '../../testkit/keys/loopback-certificate.ts'
import { CN, makeAuthority, makeCertificate } from '../../testkit/keys/make-certificate.ts'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { AUDIENCE, type TestServer } from '../../testkit/services/test-server.ts'

const WORKLOAD_TOKEN_SECONDS = 600

/** Of each algorithm the private JWK, by which an agent of its own signs. */
const makeKeys = async (service: TestServer): Promise<readonly object[]> => {
  const pairs = [
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['PS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ] as const
  const made: object[] = []
  for (const [alg, { privateKey, publicKey }] of pairs) {
    const agent = await service.createAgent()
    const kid = `of-${alg}`
    await registerKeys(service, agent, [{ ...publicKey.export({ format: 'jwk' }), alg, kid }])
    const jwk = { ...privateKey.export({ format: 'jwk' }), alg, kid }
    made.push({ alg, clientId: agent.clientId, jwk, pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) })
  }
  return made
}

const makeWorkload = async (service: TestServer) => {
  const platform = await startIdentityProvider({ algorithms: ['ES256'], now: service.clock.wall })
  const agent = await service.createAgent()
  await trust(service, agent, { workload_identity: { issuer: platform.issuer, subject: 'job:nightly' } })
  const iat = secondsOf(service)
  const claims = {
    iss: platform.issuer,
    sub: 'job:nightly',
    aud: service.baseUrl,
    iat,
    exp: iat + WORKLOAD_TOKEN_SECONDS,
  }
  const given = { clientId: agent.clientId, token: await platform.sign(claims) }
  return { given, close: () => platform.close() }
}

const startCertified = async () => {
  const authority = makeAuthority('trusted')
  const { cert, key } = makeCertificate({ subject: [[[CN, 'reports']]], authority })
  const service = await startWithCertificates({ listener: { authorities: authority.cert } })
  const agent = await service.createAgent({ certificateBound: true })
  await trust(service, agent, { tls_client_auth: { subject_dn: 'CN=reports' } })
  return {
    given: { issuer: service.baseUrl, authority: CERTIFICATE, clientId: agent.clientId, cert, key },
    close: service.close,
  }
}

/** What they are, for Python to read, and what ends the services beside them. */
export const startAgents = async (service: TestServer) => {
  const relay = await service.createAgent({
    grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
    actsFor: ['*'],
    receives: [AUDIENCE],
  })
  const workload = await makeWorkload(service)
  const certified = await startCertified()
  return {
    given: { relay, keys: await makeKeys(service), workload: workload.given, certified: certified.given },
    close: async (): Promise<void> => {
      await workload.close()
      await certified.close()
    },
  }
}
