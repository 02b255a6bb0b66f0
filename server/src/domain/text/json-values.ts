// What a JSON text holds, told from its bytes: what JSON.parse makes of a value takes up to 170 bytes, however short its text
// is, and no limit on the memory of a thread holds while it parses.

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const OPENING: readonly number[] = [0x5b, 0x7b]
const CLOSING: readonly number[] = [0x5d, 0x7d]
/** RFC 8259 §2. */
const BLANK: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

/** Where the text that begins at `start` ends. */
const endOfText = (json: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

/**
 * At most so many values. Each but that which is all stands after a comma or first in an array or object, so that an empty
 * one counts for two. Text that is not JSON has some number.
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

/**
 * Whether the text is one array or object as far as its brackets say, and nothing beside it: in the place of a value it
 * changes nothing around it.
 */
export const isOneStructure = (json: Uint8Array): boolean => {
  let depth = 0
  let hasEnded = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (depth === 0 && !BLANK.includes(byte) && (hasEnded || !OPENING.includes(byte))) return false
    if (byte === QUOTE) at = endOfText(json, at)
    else if (OPENING.includes(byte)) depth += 1
    else if (CLOSING.includes(byte)) {
      depth -= 1
      hasEnded = depth === 0
    }
  }
  return hasEnded
}
