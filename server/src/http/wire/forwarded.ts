// Reads the addresses of callers in Forwarded (RFC 7239) and X-Forwarded-For, from the right: the last element is of the
// proxy that connects here, and whatever stands left of an element may be of anybody. So it is never looked at before
// the element itself is known to name a trusted proxy, and cannot change how the element is read.
import { isIP, SocketAddress } from 'node:net'
import { type Source, unmapped } from '../../domain/source.ts'
import { trimCharacters } from '../../domain/text/text.ts'

/** Elements that are read of one header. */
const FORWARDED_HOPS_MAX = 32

type Address = Exclude<Source, 'unknown'>

// In a quoted string, a quote after an odd number of backslashes is a part of it (RFC 9110 §5.6.4).
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text[first - 1] === '\\') first -= 1
  return (at - first) % 2 === 1
}

/** What stands between the separators outside of quoted strings, the last first. */
function* partsFromRight(text: string, separator: ',' | ';'): Generator<string> {
  let end = text.length
  let isQuoted = false
  for (let n = end - 1; n >= 0; n -= 1) {
    if (text[n] === '"' && !isEscaped(text, n)) isQuoted = !isQuoted
    else if (text[n] === separator && !isQuoted) {
      yield text.slice(n + 1, end)
      end = n
    }
  }
  yield text.slice(0, end)
}

// RFC 9110 §5.6.3: spaces and tabs, and nothing else that trim() would take away.
const withoutSpace = (text: string): string => trimCharacters(text, ' \t')

/** Returns the address in its one spelling (RFC 5952); undefined for any other text. */
export const toAddress = (text: string): Address | undefined => {
  const version = isIP(text)
  if (version === 4) return text as Address
  // An address with a zone means something on one machine only.
  if (version === 0 || text.includes('%')) return undefined
  return unmapped(new SocketAddress({ address: text, family: 'ipv6' }).address as Address)
}

// RFC 7239 §6: an address, in brackets if it is of IPv6, and a port, which may be obfuscated.
const NODE = /^(?:\[([\dA-Fa-f:.]{2,45})\]|([\d.]{7,15}))(?::(?:\d{1,5}|_[\w.-]{1,64}))?$/

/** Returns undefined for `unknown`, an obfuscated identifier (RFC 7239 §6.2, §6.3), and anything malformed. */
const readNode = (text: string): Address | undefined => {
  const [, ipv6, ipv4] = NODE.exec(text) ?? []
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? toAddress(ipv6) : undefined
  return ipv4 === undefined ? undefined : toAddress(ipv4)
}

const PAIR = /^([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")$/

const readElement = (element: string): Address | undefined => {
  let node: string | undefined
  for (const part of partsFromRight(element, ';')) {
    const [, name, token, quoted] = PAIR.exec(withoutSpace(part)) ?? []
    if (name === undefined) return undefined
    if (name.toLowerCase() !== 'for') continue
    // RFC 7239 §4: each parameter once.
    if (node !== undefined) return undefined
    node = token ?? quoted
  }
  return node === undefined ? undefined : readNode(node)
}

const readListed = (element: string): Address | undefined => {
  const text = withoutSpace(element)
  return readNode(text) ?? (text.includes(':') ? toAddress(text) : undefined)
}

function* hopsOf(value: string, read: (element: string) => Address | undefined): Generator<Address> {
  let left = FORWARDED_HOPS_MAX
  for (const element of partsFromRight(value, ',')) {
    const address = left > 0 ? read(element) : undefined
    if (address === undefined) return
    left -= 1
    yield address
  }
}

/** The addresses of `for` in a Forwarded header, the last first, up to the first element that has none. Never throws. */
export const hopsOfForwarded = (value: string): Generator<Address> => hopsOf(value, readElement)

/** The addresses in an X-Forwarded-For header, the last first, up to the first element that is none. Never throws. */
export const hopsOfForwardedFor = (value: string): Generator<Address> => hopsOf(value, readListed)
