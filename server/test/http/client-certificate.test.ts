// How often a certificate is read, and whose it is: that of a connection stays, that in a header is of one request.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import type { PresentedCertificate } from '../../src/domain/clients/client-certificate.ts'
import { type CertificatesTaken, makeCertificateFinder } from '../../src/http/wire/source.ts'
import { clientCertificates } from '../../src/keys/clients/client-certificates.ts'
import { CN, type MadeCertificate, makeCertificate } from '../../../testkit/keys/make-certificate.ts'

const HEADER = 'client-cert'
const PROXY = '192.0.2.7'

const one = makeCertificate({ subject: [[[CN, 'one']]] })
const other = makeCertificate({ subject: [[[CN, 'other']]] })

/** An end of a connection whose other end is at `address` and showed `shown`. */
const connectionOf = (shown: MadeCertificate, address: string, isAuthorized = true): TLSSocket => {
  const socket = new TLSSocket(new Socket(), { isServer: true })
  const getPeerX509Certificate = () => new X509Certificate(shown.cert)
  Object.defineProperty(socket, 'remoteAddress', { value: address })
  return Object.assign(socket, { authorized: isAuthorized, getPeerX509Certificate })
}

const requestOver = (socket: TLSSocket, inHeader?: MadeCertificate): FastifyRequest => {
  const values = inHeader && `:${Buffer.from(inHeader.der).toString('base64')}:`
  const headers = values === undefined ? {} : { [HEADER]: values }
  const headersDistinct = values === undefined ? {} : { [HEADER]: [values] }
  return { raw: { socket, headers, headersDistinct } } as unknown as FastifyRequest
}

const finderOf = (taken: Partial<CertificatesTaken>) => {
  let reads = 0
  const read = (der: Uint8Array) => {
    reads += 1
    return clientCertificates.read(der)
  }
  const find = makeCertificateFinder(
    { ...clientCertificates, read },
    { header: null, listener: { isVerified: true }, ...taken },
  )
  const seen = (request: FastifyRequest): PresentedCertificate | undefined => {
    const found = find(request)
    assert.ok(!('refusal' in found))
    return found.certificate
  }
  return { seen, reads: () => reads }
}

test('the certificate of a connection is read once, however many requests come over it', () => {
  const { seen, reads } = finderOf({})
  const connection = connectionOf(one, PROXY)
  const first = seen(requestOver(connection))
  assert.deepEqual([first?.thumbprint, first?.isVerified], [one.thumbprint, true])
  assert.equal(seen(requestOver(connection)), first)
  assert.equal(reads(), 1)
})

test('each connection has its own certificate, and its own word on who vouches for it', () => {
  const { seen, reads } = finderOf({})
  const connections = [connectionOf(one, PROXY), connectionOf(other, PROXY), connectionOf(one, PROXY, false)]
  for (const _ of [1, 2]) {
    assert.deepEqual(
      connections.map(connection => {
        const certificate = seen(requestOver(connection))
        return [certificate?.thumbprint, certificate?.isVerified]
      }),
      [
        [one.thumbprint, true],
        [other.thumbprint, true],
        [one.thumbprint, false],
      ],
    )
  }
  assert.equal(reads(), 3)
})

test('over one connection of a proxy each request has the certificate of its own header, or none', () => {
  const header = { name: HEADER, form: 'rfc9440', isVerified: true, proxies: [`${PROXY}/32`] } as const
  const { seen } = finderOf({ header })
  const connection = connectionOf(makeCertificate({ subject: [[[CN, 'proxy']]] }), PROXY)
  const shown = [one, other, undefined, one].map(inHeader => seen(requestOver(connection, inHeader))?.thumbprint)
  assert.deepEqual(shown, [one.thumbprint, other.thumbprint, undefined, one.thumbprint])
})

test('a certificate that cannot be read is refused with every request of its connection', () => {
  const unread = makeCertificateFinder(
    { ...clientCertificates, read: () => undefined },
    { header: null, listener: { isVerified: true } },
  )
  const connection = connectionOf(one, PROXY)
  for (const _ of [1, 2]) assert.ok('refusal' in unread(requestOver(connection)))
})
