// Finds the certificate of the client that sent a request: in the header of a proxy that is trusted, or in the connection.
import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import type { CertificateHeader } from '../../../domain/clients/certificate-header.ts'
import type { PresentedCertificate, ClientCertificate } from '../../../domain/clients/client-certificate.ts'
import { type OrRefusal, refuse } from '../../../domain/refusal.ts'
import type { ClientCertificates } from '../../../ports/client-keys.ts'
import { makeNetworks } from '../../../../../packages/gateway/src/process/networks.ts'
import {
  type CertificateForm,
  parseCertificateHeader,
} from '../../../../../packages/verify/src/readers/certificate-header.ts'

// Reads the client certificate that a proxy wrote into a header.

/** Returns undefined unless the value is one certificate in this form. */
export const readCertificateHeader = (
  certificates: ClientCertificates,
  form: CertificateForm,
  value: string,
): ClientCertificate | undefined => {
  const found = parseCertificateHeader(form, value)
  if (found === undefined) return undefined
  return 'pem' in found ? certificates.readPem(found.pem) : certificates.read(Buffer.from(found.base64, 'base64'))
}

export type CertificatesTaken = {
  readonly header: CertificateHeader | null
  /** How client certificates of direct TLS connections are read; null where none is requested. */
  readonly listener: { readonly isVerified: boolean } | null
}

/** The certificate of the client, absent where it presented none. */
type Found = { readonly certificate?: PresentedCertificate }

export type FindCertificate = (request: FastifyRequest) => OrRefusal<Found>

const NONE: Found = {}

const refuseHeader = (name: string, why: string) => refuse('invalid_request', `The header ${name} ${why}.`)

/** Makes a reader that returns undefined where the certificate of the connection itself counts. */
const makeHeaderReader = (certificates: ClientCertificates, header: CertificateHeader) => {
  const { name, form, isVerified, proxies } = header
  const isProxy = makeNetworks(proxies)
  const readValues = (values: readonly string[]): OrRefusal<Found> => {
    const [value = '', ...others] = values
    if (others.length > 0) return refuseHeader(name, 'is given more than once')
    if (value === '') return NONE
    const certificate = readCertificateHeader(certificates, form, value)
    return certificate === undefined
      ? refuseHeader(name, `is not one certificate in the form ${form}`)
      : { certificate: { ...certificate, isVerified } }
  }
  return ({ raw }: FastifyRequest): OrRefusal<Found> | undefined => {
    const isGiven = raw.headers[name] !== undefined
    // The peer is identified by its address: a header such as X-Forwarded-For is what anybody may write.
    if (isProxy(raw.socket.remoteAddress)) return isGiven ? readValues(raw.headersDistinct[name] ?? []) : NONE
    return isGiven ? refuseHeader(name, 'is taken from the proxies of this service only') : undefined
  }
}

const makeConnectionReader = (certificates: ClientCertificates, listener: { readonly isVerified: boolean }) => {
  const read = (socket: TLSSocket): OrRefusal<Found> => {
    // Of a session that was resumed too. Without a certificate `authorized` says nothing.
    const der = socket.getPeerX509Certificate()?.raw
    if (der === undefined) return NONE
    const certificate = certificates.read(der)
    return certificate === undefined
      ? refuse('invalid_request', 'The client certificate of the connection cannot be read.')
      : { certificate: { ...certificate, isVerified: listener.isVerified && socket.authorized } }
  }
  // Read once: the listener lets no connection show another one later on. Its time is looked at with each request.
  const known = new WeakMap<TLSSocket, OrRefusal<Found>>()
  return ({ raw: { socket } }: FastifyRequest): OrRefusal<Found> => {
    if (!(socket instanceof TLSSocket)) return NONE
    const before = known.get(socket)
    if (before !== undefined) return before
    const found = read(socket)
    known.set(socket, found)
    return found
  }
}

/** The certificate of a proxy that connects by TLS says nothing of the client: from a proxy only the header counts. */
export const makeCertificateFinder = (certificates: ClientCertificates, taken: CertificatesTaken): FindCertificate => {
  const { header, listener } = taken
  const inHeader = header === null ? () => undefined : makeHeaderReader(certificates, header)
  const inConnection = listener === null ? () => NONE : makeConnectionReader(certificates, listener)
  return request => inHeader(request) ?? inConnection(request)
}
