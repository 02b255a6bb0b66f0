// The peers from which the certificate of a client is believed (RFC 8705 §3).
import { type Parser, wrong } from '../../../server/src/config/values.ts'
import { makeNetworks, parseNetwork } from './process/networks.ts'

/** Whether the peer of a connection is trusted; a unix socket has no address. */
export type IsTrusted = (address: string | undefined) => boolean

/** `unix`, or a network as address/bits. */
export const parsePeer: Parser<string> = text => {
  const value = text === 'unix' ? text : parseNetwork(text)
  return value === undefined
    ? wrong(`is ${JSON.stringify(text)}; expected an address, a network as ADDRESS/BITS, or unix`)
    : { value }
}

export const makeIsTrusted = (peers: readonly string[], isUnix: boolean): IsTrusted => {
  const networks = peers.filter(one => one !== 'unix')
  return isUnix ? () => networks.length < peers.length : makeNetworks(networks)
}
