// Headers that must not come twice: of some Node keeps the first line silently, others it joins.
import type { IncomingMessage } from 'node:http'

export type FindRepeated = (request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>) => string | undefined

/** `names` in small letters. */
export const makeFindRepeated = (names: Iterable<string>): FindRepeated => {
  const single = new Set(names)
  return ({ rawHeaders, headers }) => {
    // What nearly every request has: as many names as lines.
    if (rawHeaders.length === 2 * Object.keys(headers).length) return undefined
    const seen = new Set<string>()
    for (let n = 0; n < rawHeaders.length; n += 2) {
      const name = rawHeaders[n]?.toLowerCase() ?? ''
      if (!single.has(name)) continue
      if (seen.has(name)) return name
      seen.add(name)
    }
    return undefined
  }
}
