// The target of a request (RFC 9112 §3.2), in either form that an origin server may be sent.

// RFC 9110 §4.2: a host has to be named, and no user before it.
const ABSOLUTE = /^https?:\/\/([^/?#@]+)/i

type Target = {
  /** A path and its query. */
  readonly path: string
  /** The host and port of an absolute target; they replace `Host` (RFC 9112 §3.2.2). */
  readonly host?: string
}

/** Returns undefined for any text that is not a request target. */
export const parseTarget = (target: string): Target | undefined => {
  // No target has a fragment, which the router would take for a query.
  if (target.includes('#')) return undefined
  const [origin = '', host] = ABSOLUTE.exec(target) ?? []
  const path = target.slice(origin.length)
  const named = host === undefined ? {} : { host }
  if (path.startsWith('/')) return { path, ...named }
  // RFC 9112 §3.2.1: an empty path is sent as "/".
  return host !== undefined && (path === '' || path.startsWith('?')) ? { path: `/${path}`, ...named } : undefined
}
