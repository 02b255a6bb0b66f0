// A GET at an address that an operator wrote down for a client: https, no redirects, and never into a private network.
// The address that was checked is the one that is connected to: a name that resolves to another afterwards gains nothing.
import type { LookupAddress } from 'node:dns'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, Readable, type Transform } from 'node:stream'
import { callbackify } from 'node:util'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { makeNetworks } from '../../../../packages/gateway/src/process/networks.ts'
import type { Fetch } from './fetch-json.ts'
import type { LookUp } from './name-lookups.ts'

// IANA's special-purpose registries (RFC 6890): whatever is not for everybody's use.
const SPECIAL: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]
/** All that is global among the addresses of IPv6 lies in it: mapped, translated, local and loopback ones do not. */
const GLOBAL_IPV6 = '2000::/3'

const isSpecial = makeNetworks(SPECIAL)
const isGlobalIpv6 = makeNetworks([GLOBAL_IPV6])

const isGlobal = (address: string): boolean => !isSpecial(address) && (isIP(address) === 4 || isGlobalIpv6(address))

/** The content codings that a document may have (RFC 9110 §8.4.1). */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
])

/** The body without its content coding; read no further than its reader reads it. */
const decodedBody = (message: IncomingMessage): Readable => {
  const coding = message.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return message
  const decoder = DECODERS.get(coding)?.()
  if (decoder === undefined) throw new Error('it answered in a content coding that was not asked for')
  // A fault of either is one of the decoder, which its reader meets.
  return pipeline(message, decoder, () => undefined)
}

/** The one part of a response that is handed on: its status and its body. */
const responseOf = (message: IncomingMessage): Response => {
  const status = message.statusCode ?? 0
  if (status === 200) return new Response(Readable.toWeb(decodedBody(message)) as ReadableStream, { status })
  message.destroy()
  // What a Response cannot have is no answer either.
  return new Response(null, { status: status >= 200 && status <= 599 ? status : 502 })
}

const refuse = (host: string, address: string): Error =>
  new Error(`${host} is at ${address}, which is no address for everybody's use and in no range that is allowed`)

/** Every address that the name has must be allowed: which of them is used is not ours to say. */
const guardedLookup = (isAllowed: (address: string) => boolean, lookUp: LookUp): LookupFunction => {
  const lookUpAllowed = callbackify(async (host: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const addresses = await lookUp(host)
    const wrong = addresses.find(({ address }) => !isAllowed(address))
    const [first, ...others] = addresses
    if (wrong !== undefined || first === undefined) throw refuse(host, wrong?.address ?? 'no address')
    return [first, ...others]
  })
  return (host, options, done) =>
    lookUpAllowed(host, (fault, addresses) => {
      if (fault !== null) return done(fault, '')
      const [{ address, family }] = addresses
      return options.all === true ? done(null, [...addresses]) : done(null, address, family)
    })
}

/**
 * A fetch that reads one document: no redirect is followed, no connection is kept. `ranges`
 * are networks (CIDR) that are allowed though they are not public.
 */
export const makeGuardedFetch = (ranges: readonly string[], lookUp: LookUp): Fetch => {
  const isInRanges = makeNetworks(ranges)
  const isAllowed = (address: string): boolean => isGlobal(address) || isInRanges(address)
  const guard = guardedLookup(isAllowed, lookUp)
  return (address, { signal, headers }) =>
    new Promise((resolved, rejected) => {
      const url = new URL(address)
      // A name is resolved; an address as it stands is not.
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !isAllowed(host)) return rejected(refuse(host, host))
      const options: RequestOptions = {
        agent: false,
        insecureHTTPParser: false,
        headers: Object.fromEntries(new Headers(headers)),
        lookup: guard,
        ...(signal instanceof AbortSignal && { signal }),
      }
      const request = url.protocol === 'https:' ? requestOverTls(url, options) : requestPlain(url, options)
      request.once('error', rejected)
      // At an answer that is none, such as 101, Node ends the request without another word.
      request.once('close', () => rejected(new Error('the connection ended without an answer')))
      request.once('response', message => {
        try {
          resolved(responseOf(message))
        } catch (fault) {
          message.destroy()
          rejected(fault)
        }
      })
      request.end()
    })
}
