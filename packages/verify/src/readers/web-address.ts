// Addresses of http and https, which must name a host (RFC 9110 §4.2.1, §4.2.2). URL.parse alone reads `https:///host` and
// `https:host` as if they did.

const AUTHORITY = /^https?:\/\/(?:[^/?#\\@]*@)?(?:\[[0-9a-f:.]+\]|[^/?#\\@:[\]]+)(?::\d*)?(?:[/?#]|$)/i
const WEB_SCHEME = /^https?:/i

/** Whether the URI is of http or https, and names no host. */
export const lacksHost = (uri: string): boolean => WEB_SCHEME.test(uri) && !AUTHORITY.test(uri)

/** The address; undefined where the text is none of http or https. */
export const parseWebAddress = (text: string): URL | undefined =>
  AUTHORITY.test(text) ? (URL.parse(text) ?? undefined) : undefined

/**
 * Whether a path can be added to this text of a URL. `URL` drops an empty query, an empty fragment, and spaces and
 * control characters around, and reads a backslash as a slash: by its members the address is right, and each request goes to another.
 */
export const isBaseAddress = (text: string): boolean => !/[?#\s\p{Cc}\\]/u.test(text)

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether it is of this machine. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname)

/** Whether nobody on the way can read or replace what is sent: over TLS, or to this machine (RFC 6749 §3.2, RFC 6750 §5.3). */
export const isProtected = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))

/** Whether keys may come from this address: it is protected, and holds no password. */
export const isProviderAddress = (address: string): boolean => {
  const url = parseWebAddress(address)
  return url !== undefined && url.username === '' && url.password === '' && isProtected(url)
}
