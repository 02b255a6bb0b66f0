// How many values a JSON text holds, counted in its bytes: what JSON.parse makes of a value takes up to 170 bytes, however
// short its text is, and no limit on the memory of a thread holds while it parses.

const [QUOTE, COMMA, BACKSLASH, OPEN_ARRAY, OPEN_OBJECT] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b]

/**
 * Whether there are more. Each value but that which is all stands after a comma or first in an array or object, so that an
 * empty one counts for two. Text that is not JSON has some number.
 */
export const hasMoreValues = (json: Uint8Array, max: number): boolean => {
  let values = 1
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) {
      if (byte === BACKSLASH) at += 1
    } else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1
    }
    if (values > max) return true
  }
  return values > max
}
