// The source of a request: its address as the audit log and the counts of refused attempts show it, and its network.
/** The source of a request whose connection the client has reset: it has no address any more. */
export const UNKNOWN_SOURCE = 'unknown'

/** An IPv4 or IPv6 address as text, or {@link UNKNOWN_SOURCE}. The type excludes other texts, so `undefined` never reaches a store. */
export type Source = `${string}.${string}` | `${string}:${string}` | typeof UNKNOWN_SOURCE

const MAPPED = '::ffff:'

/** An IPv4 address where it is mapped into IPv6 (RFC 4291 §2.5.5.2), as a socket for both shows it; any other text unchanged. */
export const unmapped = <Text extends string>(source: Text): Text =>
  source.startsWith(MAPPED) && source.includes('.') ? (source.slice(MAPPED.length) as Text) : source // the rest is an address

/** RFC 6177 §2, RFC 7421: a site gets at least a /64, and may use any of its 2^64 addresses. */
const GROUPS = 4
const GROUPS_OF_ADDRESS = 8

/** The first 64 bits of an IPv6 address; any other text unchanged. */
export const networkOf = (source: string): string => {
  if (!source.includes(':')) return source
  const [before = '', after] = source.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, GROUPS_OF_ADDRESS - head.length - tail.length) }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, GROUPS).join(':')}::/64`
}
