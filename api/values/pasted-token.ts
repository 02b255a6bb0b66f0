// A token, or its id, as people paste it: out of a header, a command, a file or a mail. For the command line and the console.

/** How many of these parts may stand around one another: `'Authorization: Bearer "TOKEN"'` has four. */
const LAYERS = 8

const QUOTE_BEFORE = /^["'`“”‘’]/
const QUOTE_AFTER = /["'`“”‘’]$/
const HEADER = /^authorization\s*:/i
const SCHEME = /^(?:bearer|dpop)\s/i

const unwrap = (text: string): string =>
  [QUOTE_BEFORE, QUOTE_AFTER, HEADER, SCHEME].reduce((left, part) => left.replace(part, ''), text.trim())

/** The text without white space, without the header and the scheme before it, and without quotes around it. */
export const tokenInPasted = (pasted: string): string => {
  let text = pasted
  for (let n = 0; n < LAYERS; n += 1) text = unwrap(text)
  return text.replaceAll(/\s+/g, '')
}
