// Addresses of http and https, which must name a host (RFC 9110 §4.2.1, §4.2.2). URL.parse alone reads `https:///host` and
// `https:host` as if they did.

const AUTHORITY = /^https?:\/\/(?:[^/?#\\@]*@)?(?:\[[0-9a-f:.]+\]|[^/?#\\@:[\]]+)(?::\d*)?(?:[/?#]|$)/i
const WEB_SCHEME = /^https?:/i

/** Whether the URI is of http or https, and names no host. */
export const lacksHost = (uri: string): boolean => WEB_SCHEME.test(uri) && !AUTHORITY.test(uri)

/** The address; undefined where the text is none of http or https. */
export const parseWebAddress = (text: string): URL | undefined =>
  AUTHORITY.test(text) ? (URL.parse(text) ?? undefined) : undefined

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether keys may come from this address: https, or http on this machine, and no password in it. */
export const isProviderAddress = (address: string): boolean => {
  const url = parseWebAddress(address)
  if (url === undefined || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))
}
