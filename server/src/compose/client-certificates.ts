// Wires the certificates of clients: what the listener asks for, and what the rest of the service hears of them.
import { constants } from 'node:crypto'
import type { ClientCertificatesConfig } from '../config/client-certificates.ts'
import type { ServeConfig } from '../config/config.ts'
import type { CertificateSources } from '../domain/clients/client-certificate.ts'
import type { ServerOptions } from '../http/server.ts'

/** Of which certificates the service hears at all. */
export const certificateSourcesOf = ({ header, listener }: ClientCertificatesConfig): CertificateSources => ({
  verified: header?.isVerified === true || (listener !== null && listener.authorities !== null),
  unverified: header?.isVerified === false || listener !== null,
})

/**
 * Who shows a certificate that nobody vouches for is let in all the same, and told so where it matters. Without
 * authorities of its own Node would take those of the web for them.
 */
const askingFor = ({ listener }: ClientCertificatesConfig): Partial<ServerOptions['https']> =>
  listener === null
    ? {}
    : {
        requestCert: true,
        rejectUnauthorized: false,
        ca: listener.authorities ?? [],
        // A connection is of one client: none shows another certificate later on.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      }

/** The options of a server that takes certificates so. */
export const certificateOptionsOf = (
  tls: ServeConfig['tls'],
  config: ClientCertificatesConfig,
): Pick<ServerOptions, 'https' | 'certificates'> => {
  const { header, listener } = config
  const certificates = { header, listener: listener && { isVerified: listener.authorities !== null } }
  if (tls === null) return { certificates }
  return { certificates, https: { cert: tls.certificate, key: tls.key, ...askingFor(config) } }
}
