// The header Authorization of a request to a resource server (RFC 6750 §2.1, RFC 9449 §7.1).

export type Authorization =
  | { readonly scheme: 'Bearer' | 'DPoP'; readonly token: string }
  /** `none`: no header, or a scheme that is not for access tokens. `malformed`: more, or less, than one token. */
  | 'none'
  | 'malformed'

const SCHEME = /^(bearer|dpop)(?: |$)/i
/** `b64token` of RFC 6750 §2.1. */
const TOKEN = /^[\w.~+/-]+=*$/

export const parseAuthorization = (header: string | undefined): Authorization => {
  const [, scheme] = SCHEME.exec(header ?? '') ?? []
  if (header === undefined || scheme === undefined) return 'none'
  const token = header.slice(scheme.length).replace(/^ +/, '')
  if (!TOKEN.test(token)) return 'malformed'
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}
