// The header Authorization of a request to a resource server (RFC 6750 §2.1, RFC 9449 §7.1).

export type Authorization =
  | { readonly scheme: 'Bearer' | 'DPoP'; readonly token: string }
  /** `none`: no header, or a scheme that is not for access tokens. `malformed`: more, or less, than one token. */
  | 'none'
  | 'malformed'

const SCHEMES = new Map<string, 'Bearer' | 'DPoP'>([
  ['bearer', 'Bearer'],
  ['dpop', 'DPoP'],
])
/** `b64token` of RFC 6750 §2.1. */
const TOKEN = /^[\w.~+/-]+=*$/

export const parseAuthorization = (header: string | undefined): Authorization => {
  if (header === undefined) return 'none'
  const space = header.indexOf(' ')
  const end = space === -1 ? header.length : space
  const scheme = SCHEMES.get(header.slice(0, end).toLowerCase())
  if (scheme === undefined) return 'none'
  let start = end
  while (header[start] === ' ') start += 1
  const token = header.slice(start)
  return TOKEN.test(token) ? { scheme, token } : 'malformed'
}
