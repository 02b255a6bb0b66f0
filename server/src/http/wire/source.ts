// Reads where a request came from: the address of its connection, or what trusted proxies say of it, and the certificate of its
// client, in the same two ways. Whatever a connection can know may be missing.
import { isIP, type Socket } from 'node:net'
import type { ForwardedState } from '../../../../api/values/checks.ts'
import type { FastifyRequest } from 'fastify'
import { type Source, UNKNOWN_SOURCE, unmapped } from '../../domain/source.ts'
import { hopsOfForwarded, hopsOfForwardedFor } from './forwarded.ts'
import { type IsInNetworks, makeNetworks } from '../../../../packages/gateway/src/process/networks.ts'
import { TLSSocket } from 'node:tls'
import type { CertificateHeader } from '../../domain/clients/certificate-header.ts'
import type { PresentedCertificate, ClientCertificate } from '../../domain/clients/client-certificate.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { ClientCertificates } from '../../ports/client-keys.ts'
import {
  type CertificateForm,
  parseCertificateHeader,
} from '../../../../packages/verify/src/readers/certificate-header.ts'

const isAddress = (text: string | undefined): text is Exclude<Source, typeof UNKNOWN_SOURCE> => isIP(text ?? '') > 0

/** Headers whose caller is cached, and how long each may be: 1 MiB in all. */
const CACHED_MAX = 2048
const CACHED_CHARACTERS_MAX = 512

/** The address of a connection, which has one spelling: none any more where the peer has reset it. */
export const sourceOfSocket = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): Source =>
  isAddress(remoteAddress) ? unmapped(remoteAddress) : UNKNOWN_SOURCE

type Proxied = {
  readonly raw: Pick<FastifyRequest['raw'], 'headers'> & { readonly socket: Pick<Socket, 'remoteAddress'> }
}

export type SourceOf = (request: Proxied) => Source

/**
 * The first address, from the peer on, that is no proxy of ours. Where a proxy names none the caller is that proxy: the last
 * address that somebody trusted says.
 */
const callerIn = (peer: Source, hops: Iterable<Source>, isProxy: IsInNetworks): Source => {
  let caller = peer
  for (const hop of hops) {
    caller = hop
    if (!isProxy(hop)) break
  }
  return caller
}

/**
 * The source of a request: of its connection, unless that is of a trusted proxy. Which of two headers the proxy wrote, and
 * which one it passed on from its caller, cannot be known: where both are given and disagree, neither counts.
 */
export const makeSourceReader = (isProxy: IsInNetworks): SourceOf => {
  // A connection keeps its peer.
  const known = new WeakMap<object, boolean>()

  const isOfProxy = (socket: Pick<Socket, 'remoteAddress'>): boolean => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const found = isProxy(socket.remoteAddress)
    if (socket.remoteAddress !== undefined) known.set(socket, found)
    return found
  }

  const read = (peer: Source, forwarded: string | undefined, forwardedFor: string | undefined): Source => {
    const callers = [
      ...(forwarded === undefined ? [] : [callerIn(peer, hopsOfForwarded(forwarded), isProxy)]),
      ...(forwardedFor === undefined ? [] : [callerIn(peer, hopsOfForwardedFor(forwardedFor), isProxy)]),
    ]
    const [first = peer, second = first] = callers
    return first === second ? first : peer
  }

  // One caller sends the same headers again and again, and to read them takes microseconds.
  const callers = new Map<string, Source>()

  const readOnce = (peer: Source, forwarded: string | undefined, forwardedFor: string | undefined): Source => {
    // No header holds a line break.
    const key = `${peer}\n${forwarded ?? '\n'}\n${forwardedFor ?? '\n'}`
    const before = callers.get(key)
    if (before !== undefined) return before
    const caller = read(peer, forwarded, forwardedFor)
    if (key.length > CACHED_CHARACTERS_MAX) return caller
    if (callers.size >= CACHED_MAX) callers.clear()
    callers.set(key, caller)
    return caller
  }

  return ({ raw: { headers, socket } }) => {
    const peer = sourceOfSocket(socket)
    const { forwarded, 'x-forwarded-for': forwardedFor } = headers
    if ((forwarded === undefined && forwardedFor === undefined) || peer === UNKNOWN_SOURCE || !isOfProxy(socket))
      return peer
    return readOnce(peer, forwarded, forwardedFor === undefined ? undefined : [forwardedFor].flat().join(','))
  }
}

/** An address of RFC 5737 §3: no caller has it, so a request with this source had a forged header that was believed. */
const TEST_ADDRESS = '192.0.2.1'

/** What became of the address that a request says it was forwarded for; null where it says none. */
export type ForwardedStateOf = (request: Proxied) => ForwardedState | null

export const makeForwardedState =
  (isProxy: IsInNetworks, sourceOf: SourceOf): ForwardedStateOf =>
  request => {
    const { headers, socket } = request.raw
    const { forwarded, 'x-forwarded-for': forwardedFor } = headers
    if (forwarded === undefined && forwardedFor === undefined) return null
    const [peer, source] = [sourceOfSocket(socket), sourceOf(request)]
    if (source === TEST_ADDRESS && source !== peer) return 'test_address_believed'
    if (source !== peer) return 'believed'
    // A proxy on the machine of its caller forwards for an address that is its own.
    const isOne = forwarded === undefined || forwardedFor === undefined
    return isOne && isProxy(socket.remoteAddress) ? 'believed' : 'ignored'
  }

// Finds the certificate of the client that sent a request: in the header of a proxy that is trusted, or in the connection.

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
