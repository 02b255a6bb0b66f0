// The peers from which the certificate of a client is believed (RFC 8705 §3).
import { makeNetworks, parseNetwork } from '../process/networks.ts'

/** Whether the peer of a connection is trusted; a unix socket has no address. */
export type IsTrusted = (address: string | undefined) => boolean

/** Takes `unix`, addresses and networks; undefined where a peer is none of these. */
export const makeIsTrusted = (peers: readonly string[], isUnix: boolean): IsTrusted | undefined => {
  const given = peers.filter(one => one !== 'unix').map(parseNetwork)
  const networks = given.filter(one => one !== undefined)
  if (networks.length < given.length) return undefined
  if (isUnix) return () => peers.includes('unix')
  return makeNetworks(networks)
}
