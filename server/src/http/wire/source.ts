// Reads where a request came from: the address of its connection, or what trusted proxies say of it. Whatever a connection
// can know may be missing.
import { isIP, type Socket } from 'node:net'
import type { ForwardedState } from '../../../../api/values/checks.ts'
import type { FastifyRequest } from 'fastify'
import { type Source, UNKNOWN_SOURCE, unmapped } from '../../domain/source.ts'
import { hopsOfForwarded, hopsOfForwardedFor } from './forwarded.ts'
import type { IsInNetworks } from '../../../../packages/gateway/src/process/networks.ts'

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
