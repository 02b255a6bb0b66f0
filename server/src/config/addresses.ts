// In this folder: reads variables and files, and returns one frozen value or all mistakes. settings/ has the table of the settings.
// Parsers of settings that are addresses, or name some: URLs, networks, ports, headers of proxies.
import { networkInterfaces } from 'node:os'
import { isResource } from '../../../api/values/audience.ts'
import { parseNetwork } from '../../../packages/gateway/src/process/networks.ts'
import { CERTIFICATE_FORMS } from '../../../packages/verify/src/readers/certificate-header.ts'
import { isLoopback, lacksHost } from '../../../packages/verify/src/readers/web-address.ts'
import type { CertificateHeader } from '../domain/clients/certificate-header.ts'
import { trimCharacters } from '../domain/text/text.ts'
import { parseInteger, type Parser, wrong } from './values.ts'

// The reason why a text cannot be the URL of a server of tokens or keys; undefined if it can.
const flawOfAddress = (text: string): string | undefined => {
  // URL.canParse takes some host names that are too long, for which the constructor throws.
  const url = URL.parse(text)
  if (url === null) return 'is not a URL; expected an address such as https://auth.example.com'
  if (lacksHost(text)) return 'names no host; expected an address such as https://auth.example.com'
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password; expected an address without'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `opens with ${url.protocol}; expected https:`
  if (url.protocol === 'http:' && !isLoopback(url)) return 'is http; expected https (http is accepted on loopback only)'
  if (text.includes('#')) return 'holds a fragment; expected an address without #'
  return undefined
}

/** The address of a document: https, or http on loopback. */
export const parseAddress: Parser<string> = text => {
  const flaw = flawOfAddress(text)
  return flaw === undefined ? { value: text } : wrong(flaw)
}

/** An issuer: an address without query and fragment (RFC 8414 §2), kept as written, because `iss` is compared exactly. */
export const parseIssuer: Parser<string> = text => {
  const flaw = flawOfAddress(text)
  if (flaw !== undefined) return wrong(flaw)
  return text.includes('?') ? wrong('holds a query; expected an address without ?') : { value: text }
}

/** The base URL: an issuer in normal form, without a trailing slash, so that comparisons succeed everywhere. */
export const parseBaseUrl: Parser<string> = text => {
  const issuer = parseIssuer(text)
  if ('wrong' in issuer) return issuer
  const normal = trimCharacters(new URL(text).href, '/')
  if (text !== normal) return wrong(`is ${JSON.stringify(text)}; expected it written as ${normal}`)
  return isResource(text) ? issuer : wrong('is longer than 512 characters; expected a shorter address')
}

export const parseAudience: Parser<string> = text =>
  isResource(text)
    ? { value: text }
    : wrong('is not an absolute URI without a fragment; expected https://api.example.com')

const RANGES_MAX = 64

/** As address/bits; undefined where there are too many, or one is no network and no address. */
const networksIn = (texts: readonly string[]): readonly string[] | undefined => {
  const networks = texts.map(parseNetwork).filter(network => network !== undefined)
  return networks.length === texts.length && networks.length <= RANGES_MAX ? networks : undefined
}

const listed = (text: string): readonly string[] => text.split(',').map(one => one.trim())

/** Networks as address/bits, separated by commas. */
export const parseRanges: Parser<readonly string[]> = text => {
  const texts = listed(text)
  const value = texts.every(one => one.includes('/')) ? networksIn(texts) : undefined
  return value === undefined
    ? wrong(`is ${JSON.stringify(text)}; expected at most ${RANGES_MAX} networks such as 10.0.0.0/8,fd00::/8`)
    : { value }
}

/** The address of a service: https, or http on loopback. */
export const parseServiceUrl: Parser<string> = text => {
  const address = parseIssuer(text)
  return 'wrong' in address ? address : { value: trimCharacters(new URL(text).href, '/') }
}

// http is common here: a collector runs on the same machine or in the same network.
export const parseEndpoint: Parser<string> = text => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
    ? { value: text }
    : wrong('is not an http or https URL; expected the address of a collector such as http://127.0.0.1:4318')
}

/** Networks, or single addresses. */
export const parseProxies: Parser<readonly string[]> = text => {
  const value = networksIn(listed(text))
  return value === undefined
    ? wrong(`is ${JSON.stringify(text)}; expected addresses or networks such as 10.0.0.7,fd00::/8`)
    : { value }
}

export const PORT_MAX = 65_535

export const parsePort = parseInteger(1, PORT_MAX)

export const parseHostAndPort: Parser<{ readonly host: string; readonly port: number }> = text => {
  const [, bracketed, plain, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || port < 1 || port > PORT_MAX) {
    return wrong(`is ${JSON.stringify(text)}; expected HOST:PORT such as 127.0.0.1:9464`)
  }
  return { value: { host, port } }
}

type Interfaces = ReturnType<typeof networkInterfaces>

/** Undefined where the system does not say, as in a sandbox without netlink. */
const findInterfaces = (): Interfaces | undefined => {
  try {
    return networkInterfaces()
  } catch {
    return undefined
  }
}

/**
 * The address to listen on. `::` is every address of both families; a machine whose IPv6 is off does not know it, and there it is every
 * address of IPv4. So one setting serves each kind of network, as a chart must.
 */
export const listenHost = (host: string, interfaces: () => Interfaces | undefined = findInterfaces): string => {
  if (host !== '::') return host
  const found = interfaces()
  const hasIpv6 = found === undefined || Object.values(found).some(ofOne => ofOne?.some(one => one.family === 'IPv6'))
  return hasIpv6 ? host : '0.0.0.0'
}

/** As an address has it, an IPv6 address in brackets. */
export const placeOf = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

const NAME_AND_FORM = /^([A-Za-z0-9-]{1,64}) +(\w+)$/

/** The header with the certificate of a client: its name and its form. */
export const parseCertificateHeader: Parser<Pick<CertificateHeader, 'name' | 'form'>> = text => {
  const [, name = '', given] = NAME_AND_FORM.exec(text) ?? []
  const form = CERTIFICATE_FORMS.find(one => one === given)
  if (form !== undefined) return { value: { name: name.toLowerCase(), form } }
  const expected = `expected the name of a header, a space and one of ${CERTIFICATE_FORMS.join(', ')}`
  return wrong(`is ${JSON.stringify(text)}; ${expected}, such as "Client-Cert rfc9440"`)
}

/** The parameters that the sign-in flow sets itself; they cannot be configured. */
const OWN_PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]

export const parseParameters: Parser<Readonly<Record<string, string>>> = text => {
  const parameters = Object.fromEntries(new URLSearchParams(text))
  const own = OWN_PARAMETERS.find(name => Object.hasOwn(parameters, name))
  return own === undefined
    ? { value: parameters }
    : wrong(`sets ${own}; expected parameters that the sign-in does not set itself`)
}
