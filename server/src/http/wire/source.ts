// Reads where a request came from: the address of its connection, or what trusted proxies say of it. Whatever a connection
// can tell may be missing.
import { isIP, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { type Source, UNKNOWN_SOURCE } from '../../domain/source.ts'
import { hopsOfForwarded, hopsOfForwardedFor } from './forwarded.ts'
import type { IsInNetworks } from './networks.ts'

const isAddress = (text: string | undefined): text is Exclude<Source, typeof UNKNOWN_SOURCE> => isIP(text ?? '') > 0

/** The address of a connection: none any more where the peer has reset it. */
export const sourceOfSocket = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): Source =>
  isAddress(remoteAddress) ? remoteAddress : UNKNOWN_SOURCE

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
 * which one it passed on from its caller, cannot be told: where both are given and disagree, neither counts.
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

  return ({ raw: { headers, socket } }) => {
    const peer = sourceOfSocket(socket)
    const forwarded = headers.forwarded
    const forwardedFor = headers['x-forwarded-for']
    if ((forwarded === undefined && forwardedFor === undefined) || !isOfProxy(socket)) return peer
    if (peer === UNKNOWN_SOURCE) return peer
    const callers = [
      ...(forwarded === undefined ? [] : [callerIn(peer, hopsOfForwarded(forwarded), isProxy)]),
      ...(forwardedFor === undefined
        ? []
        : [callerIn(peer, hopsOfForwardedFor([forwardedFor].flat().join(',')), isProxy)]),
    ]
    const [first = peer, second = first] = callers
    return first === second ? first : peer
  }
}
