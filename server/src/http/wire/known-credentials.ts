// The credentials in headers that authenticated a request lately. A caller that sends one again is served before callers of whom
// nothing is known yet; whether it is still good is decided by its request, as always.
import type { IncomingHttpHeaders } from 'node:http'
import { hash } from 'node:crypto'

/** How many credentials one thread remembers. */
const KNOWN_MAX = 4096

/** While nobody waits, one of so many uses is noted: to hash each would cost an introspection 3 % more. */
const REMEMBERED_EVERY = 16

export type KnownCredentials = {
  readonly has: (headers: IncomingHttpHeaders) => boolean
  /** Like `has` while requests wait; else false, and nothing is hashed. */
  readonly isFirst: (headers: IncomingHttpHeaders) => boolean
  /** Called after a request that was authenticated. */
  readonly add: (headers: IncomingHttpHeaders) => void
  /** Called after a request whose credential was refused. */
  readonly remove: (headers: IncomingHttpHeaders) => void
}

/** Hashed: a credential is a secret, and is not kept. */
const keyOf = ({ authorization, cookie, 'x-api-key': apiKey }: IncomingHttpHeaders): string | undefined => {
  const text = typeof apiKey === 'string' ? apiKey : (authorization ?? cookie)
  return text === undefined ? undefined : hash('sha256', text, 'base64')
}

/** `isBusy`: whether requests wait, so that it matters now who is known. */
export const makeKnownCredentials = (isBusy: () => boolean): KnownCredentials => {
  const known = new Set<string>()
  let uses = 0
  const has = (headers: IncomingHttpHeaders): boolean => {
    const key = known.size === 0 ? undefined : keyOf(headers)
    return key !== undefined && known.has(key)
  }
  return {
    has,
    isFirst: headers => isBusy() && has(headers),
    add: headers => {
      uses += 1
      if (uses % REMEMBERED_EVERY !== 1 && !isBusy()) return
      const key = keyOf(headers)
      if (key === undefined || known.has(key)) return
      const [oldest] = known
      if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
      known.add(key)
    },
    remove: headers => {
      const key = known.size === 0 ? undefined : keyOf(headers)
      if (key !== undefined) known.delete(key)
    },
  }
}
