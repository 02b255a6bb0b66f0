// Services to which clients show certificates, and requests that show one.
import { certificateOptionsOf } from '../../server/src/compose/client-certificates.ts'
import { type ClientCertificatesConfig, NO_CLIENT_CERTIFICATES } from '../../server/src/config/callers.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../keys/loopback-certificate.ts'
import { type Answer, type Connection, FORM, send } from './requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../services/test-server.ts'

type Fields = Readonly<Record<string, string>>

/** Starts a service, with TLS where it requests certificates. OpenSSL reads the machine's clock, so the service does too. */
export const startWithCertificates = (given: Partial<ClientCertificatesConfig>): Promise<TestServer> => {
  const config = { ...NO_CLIENT_CERTIFICATES, ...given }
  const tls = config.listener === null ? null : { certificate: CERTIFICATE, key: PRIVATE_KEY }
  return startServer({
    start: Date.now(),
    config: { clientCertificates: config },
    server: certificateOptionsOf(tls, config),
  })
}

/** `agent: false`: a connection of its own. */
export const showing = ({ cert, key }: { readonly cert: string; readonly key: string }): Connection => ({
  agent: false,
  cert,
  key,
})

export type Way = { readonly connection?: Connection; readonly headers?: Readonly<Record<string, string | string[]>> }

export const post = (service: TestServer, path: string, fields: Fields, way: Way = {}): Promise<Answer> =>
  send(service, {
    method: 'POST',
    path,
    headers: { ...FORM, ...way.headers },
    body: new URLSearchParams(fields).toString(),
    connection: way.connection ?? { agent: false },
  })

const GRANT = { grant_type: 'client_credentials' }

/** Requests a token with the client id alone: only the certificate, if any, authenticates the client. */
export const askShowing = (service: TestServer, { clientId }: AgentOfTest, way?: Way, fields?: Fields) =>
  post(service, '/oauth/token', { ...GRANT, client_id: clientId, ...fields }, way)

/** Requests a token with the secret of the agent, whatever else is shown. */
export const askBySecret = (service: TestServer, agent: AgentOfTest, way?: Way, fields?: Fields) =>
  askShowing(service, agent, way, { client_secret: agent.clientSecret, ...fields })

export const tokenOf = ({ status, json, text }: Answer): string => {
  if (status !== 200) throw new Error(text)
  return (json as { access_token: string }).access_token
}
