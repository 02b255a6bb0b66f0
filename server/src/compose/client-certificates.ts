// Wires certificates: what the listener requests of clients, what the rest of the service receives, and when our own expires.
import { constants, X509Certificate } from 'node:crypto'
import type { Server } from 'node:net'
import { Server as SecureServer } from 'node:tls'
import type { ClientCertificatesConfig } from '../config/callers.ts'
import type { ServeConfig } from '../config/config.ts'
import type { CertificateSources } from '../domain/clients/client-certificate.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { ServerOptions } from '../http/server.ts'

/** Which certificates reach the service. */
export const certificateSourcesOf = ({ header, listener }: ClientCertificatesConfig): CertificateSources => ({
  verified: header?.isVerified === true || (listener !== null && listener.authorities !== null),
  unverified: header?.isVerified === false || listener !== null,
})

/**
 * An unverified certificate does not end the connection; it is refused where it matters. Without configured authorities
 * Node would use its default ones.
 */
const askingFor = ({ listener }: ClientCertificatesConfig): Partial<ServerOptions['https']> =>
  listener === null
    ? {}
    : {
        requestCert: true,
        rejectUnauthorized: false,
        ca: listener.authorities ?? [],
        // A connection belongs to one client: its certificate does not change.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      }

/** The options of a server that accepts certificates this way. */
export const certificateOptionsOf = (
  tls: ServeConfig['tls'],
  config: ClientCertificatesConfig,
): Pick<ServerOptions, 'https' | 'certificates'> => {
  const { header, listener } = config
  const certificates = { header, listener: listener && { isVerified: listener.authorities !== null } }
  if (tls === null) return { certificates }
  return { certificates, https: { cert: tls.certificate, key: tls.key, ...askingFor(config) } }
}

/** Publishes when the certificate expires, the first of a chain: that of the service itself. */
export const showCertificate = (metrics: Metrics, tls: ServeConfig['tls']): void => {
  if (tls === null) return
  const { validToDate } = new X509Certificate(tls.certificate)
  metrics.set('mintmark_certificate_expiry_timestamp_seconds', {}, validToDate.getTime() / 1000)
}

/**
 * New connections get this certificate, and are asked for certificates of these authorities; connections that are open stay
 * as they are. Sessions of the earlier context are not resumed. Throws where OpenSSL refuses the two together.
 */
export const replaceTls = (
  server: Server,
  tls: NonNullable<ServeConfig['tls']>,
  clientCertificates: ClientCertificatesConfig,
): void => {
  if (!(server instanceof SecureServer)) throw new Error('A server without TLS was given a certificate.')
  const { https } = certificateOptionsOf(tls, clientCertificates)
  if (https !== undefined) server.setSecureContext(https)
}
