// The certificate of a client in the header of a gateway, and the peers from which it is believed (RFC 8705 §3).
import { BlockList, isIP } from 'node:net'
import type { Certificate } from '../proofs/certificate.ts'

/**
 * A byte sequence between colons (RFC 9440 §2.2); PEM, percent-encoded, as nginx writes it; DER in base64; Envoy's
 * X-Forwarded-Client-Cert with the pair Cert.
 */
export const CERTIFICATE_FORMS = ['rfc9440', 'pem', 'base64', 'xfcc'] as const

export type CertificateForm = (typeof CERTIFICATE_FORMS)[number]

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const BEGIN = '-----BEGIN CERTIFICATE-----'

type Parse = (value: string) => Certificate | undefined

const parseBase64: Parse = value =>
  value !== '' && BASE64.test(value) ? new Uint8Array(Buffer.from(value, 'base64')) : undefined

const parsePem: Parse = value => {
  try {
    const pem = decodeURIComponent(value)
    // Text before it would be that of another hop, or of another form.
    return pem.startsWith(BEGIN) ? pem : undefined
  } catch {
    return undefined
  }
}

/** One element of pairs; a comma outside quotation marks would begin that of another hop. */
const XFCC_PAIR = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(;|$)/y

const parseXfcc: Parse = value => {
  const found: string[] = []
  for (let at = 0, isLast = false; !isLast; ) {
    XFCC_PAIR.lastIndex = at
    const [whole = '', name = '', text = '', separator] = XFCC_PAIR.exec(value) ?? []
    if (separator === undefined) return undefined
    if (name.toLowerCase() === 'cert') found.push(text.replace(/^"(.*)"$/s, '$1'))
    at += whole.length
    isLast = separator === ''
  }
  const [only = '', ...others] = found
  return others.length === 0 ? parsePem(only) : undefined
}

const FORMS: Readonly<Record<CertificateForm, Parse>> = {
  rfc9440: value => parseBase64(/^:(.*):$/s.exec(value)?.[1] ?? ''),
  pem: parsePem,
  base64: parseBase64,
  xfcc: parseXfcc,
}

/** Returns undefined unless the value is of this form. Whether it is a certificate is for its thumbprint to say. */
export const parseCertificateHeader = (form: CertificateForm, value: string): Certificate | undefined =>
  FORMS[form](value)

/** Whether the peer of a connection is trusted; a unix socket has no address. */
export type IsTrusted = (address: string | undefined) => boolean

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

const NETWORK = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i

/** Takes `unix`, addresses and networks; undefined where a peer is none of these. */
export const makeIsTrusted = (peers: readonly string[], isUnix: boolean): IsTrusted | undefined => {
  const list = new BlockList()
  for (const peer of peers.filter(one => one !== 'unix')) {
    const [, address = '', bits] = NETWORK.exec(peer) ?? []
    const bitsMax = isIP(address) === 4 ? 32 : 128
    if (isIP(address) === 0 || Number(bits ?? bitsMax) > bitsMax) return undefined
    list.addSubnet(address, Number(bits ?? bitsMax), familyOf(address))
  }
  const trustsUnix = isUnix && peers.includes('unix')
  return address => {
    if (isUnix) return trustsUnix
    return address !== undefined && isIP(address) > 0 && list.check(address, familyOf(address))
  }
}
