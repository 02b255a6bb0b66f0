// The strict reader of form-encoded texts, bodies and query strings alike (RFC 6749 Appendix B), of the service and the gateway;
// and of headers that must not come twice.

export type Pair = readonly [name: string, value: string]

const NO_PAIRS: readonly Pair[] = []

/** Throws a URIError for a malformed escape, or one that is not UTF-8. */
const decode = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
}

const parsePair = (text: string): Pair => {
  const equals = text.indexOf('=')
  return equals === -1 ? [decode(text), ''] : [decode(text.slice(0, equals)), decode(text.slice(equals + 1))]
}

/** One value as a form encodes it; undefined where it is malformed. */
export const decodeFormValue = (text: string): string | undefined => {
  try {
    return decode(text)
  } catch {
    return undefined
  }
}

export const parsePairs = (text: string): readonly Pair[] | undefined => {
  if (text === '') return NO_PAIRS
  try {
    return text.split('&').filter(Boolean).map(parsePair)
  } catch {
    return undefined
  }
}

// Headers that must not come twice: of some Node keeps the first line silently, others it joins.

/** A request as Node reads it: each line of a header as it came, and one value for each name. */
type HeaderLines = { readonly rawHeaders: readonly string[]; readonly headers: object }

/** Returns the name, in lower case, of the first header that has a second line. */
type FindRepeated = (request: HeaderLines) => string | undefined

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
