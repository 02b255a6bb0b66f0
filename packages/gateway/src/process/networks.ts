// Whether an address is in one of some networks.
import { BlockList, isIP } from 'node:net'

/** Returns false for undefined: a connection that has gone has no address. */
export type IsInNetworks = (address: string | undefined) => boolean

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** `networks` as address/bits. An IPv4-mapped IPv6 address is in the network of its IPv4 address. */
export const makeNetworks = (networks: readonly string[]): IsInNetworks => {
  if (networks.length === 0) return () => false
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return address => address !== undefined && isIP(address) > 0 && list.check(address, familyOf(address))
}

const NETWORK = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i

/** An address, or a network as address/bits, as {@link makeNetworks} takes it; undefined where the text is neither. */
export const parseNetwork = (text: string): string | undefined => {
  const [, address = '', given] = NETWORK.exec(text) ?? []
  const bitsMax = isIP(address) === 4 ? 32 : 128
  const bits = Number(given ?? bitsMax)
  return isIP(address) === 0 || bits > bitsMax ? undefined : `${address}/${bits}`
}
