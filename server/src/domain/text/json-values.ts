// Counts the values in a JSON text by its bytes: a value takes up to 170 bytes after JSON.parse, however short its text, and
// a thread's memory limit is not enforced while it parses.

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const OPENING: readonly number[] = [0x5b, 0x7b]

/** The end of the string that starts at `start`. */
const endOfText = (json: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

/**
 * An upper bound of the number of values. Each value except the outermost follows a comma or an opening bracket, so an empty
 * array or object counts twice. For text that is not JSON the number is arbitrary.
 */
export const countValues = (json: Uint8Array): number => {
  let values = 1
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfText(json, at)
    else if (byte === COMMA || OPENING.includes(byte)) values += 1
  }
  return values
}
