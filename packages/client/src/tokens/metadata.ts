// Where the token endpoint of an issuer is: its metadata (RFC 8414), kept for an hour and believed only of itself.
import { isProtected } from '../../../verify/src/readers/web-address.ts'
import { exchange, ExchangeFault, type Exchange } from '../../../verify/src/wire/exchange.ts'
import { parseObject } from '../wire/answer.ts'
import { harmless } from '../wire/redaction.ts'

const METADATA_MS_MAX = 3_600_000
const METADATA_BYTES_MAX = 65_536

export type Endpoint = {
  readonly url: string
  /** `aud` of an assertion. */
  readonly audience: string
}

export type EndpointOptions = {
  readonly issuer: string | undefined
  readonly tokenEndpoint: string | undefined
  /** A client with a certificate may have to go to another address (RFC 8705 §5). */
  readonly hasCertificate: boolean
  readonly isInsecureAllowed: boolean
}

/** The well-known part stands between host and path (RFC 8414 §3.1). */
const metadataUrlOf = (issuer: string): string => {
  const url = new URL(issuer)
  const path = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '')
  return `${url.origin}/.well-known/oauth-authorization-server${path}`
}

const stringIn = (value: unknown, name: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const member: unknown = (value as Readonly<Record<string, unknown>>)[name]
  return typeof member === 'string' ? member : undefined
}

const checkEndpoint = (text: string | undefined, isInsecureAllowed: boolean): string => {
  if (text === undefined || !URL.canParse(text)) throw new ExchangeFault('the metadata names no token endpoint')
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || !(isInsecureAllowed || isProtected(url))) {
    throw new ExchangeFault(`the metadata names a token endpoint that is not of https: ${harmless(text)}`)
  }
  return text
}

const readEndpoint = async (issuer: string, options: EndpointOptions, how: Omit<Exchange, 'bytesMax'>) => {
  const url = metadataUrlOf(issuer)
  const init = { headers: { accept: 'application/json' } }
  const { status, bytes } = await exchange(url, init, { ...how, bytesMax: METADATA_BYTES_MAX })
  const metadata = status === 200 ? parseObject(bytes) : undefined
  if (metadata === undefined) throw new ExchangeFault(`no metadata at ${url} (status ${status})`)
  const named = stringIn(metadata, 'issuer')
  // RFC 8414 §3.3: exactly, or somebody else answers in its place.
  if (named !== issuer) {
    throw new ExchangeFault(
      `the metadata at ${url} is of the issuer ${JSON.stringify(harmless(named ?? ''))}; expected ${JSON.stringify(issuer)}`,
    )
  }
  const alias = options.hasCertificate ? stringIn(metadata['mtls_endpoint_aliases'], 'token_endpoint') : undefined
  return checkEndpoint(alias ?? stringIn(metadata, 'token_endpoint'), options.isInsecureAllowed)
}

/** Finds the endpoint; asks again after an hour, and goes on with what it knows where that fails. */
export const makeEndpointFinder = (
  options: EndpointOptions,
  how: Omit<Exchange, 'bytesMax'>,
  monotonicMs: () => number,
): (() => Promise<Endpoint>) => {
  const { issuer, tokenEndpoint } = options
  let known: { readonly url: string; readonly at: number } | undefined
  return async () => {
    if (tokenEndpoint !== undefined) return { url: tokenEndpoint, audience: issuer ?? tokenEndpoint }
    const audience = issuer ?? ''
    if (known !== undefined && monotonicMs() - known.at < METADATA_MS_MAX) return { url: known.url, audience }
    try {
      known = { url: await readEndpoint(audience, options, how), at: monotonicMs() }
    } catch (fault) {
      if (known === undefined) throw fault
    }
    return { url: known.url, audience }
  }
}
