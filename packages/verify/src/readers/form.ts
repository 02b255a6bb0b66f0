// The strict reader of form-encoded texts, bodies and query strings alike (RFC 6749 Appendix B), of the service and the gateway.

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
