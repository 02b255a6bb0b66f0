// Headers that must not come twice: of some Node keeps the first line silently, others it joins.

/** A request as Node reads it: each line of a header as it came, and one value for each name. */
export type HeaderLines = { readonly rawHeaders: readonly string[]; readonly headers: object }

/** Returns the name, in lower case, of the first header that has a second line. */
export type FindRepeated = (request: HeaderLines) => string | undefined

/** `names` in lower case. */
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
