// Reads DER (X.690), strictly: definite lengths in their shortest form, short tags, and nothing beyond the end.

/** One element: its tag byte, its content, and where the next one begins. */
export type Element = { readonly tag: number; readonly content: Uint8Array; readonly end: number }

/** Thrown where bytes are no DER; what reads a certificate catches it. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** The length that stands at `at`, and where the content begins. */
const readLength = (bytes: Uint8Array, at: number): { readonly length: number; readonly start: number } => {
  const first = bytes[at] ?? 0xff
  if (first < 0x80) return { length: first, start: at + 1 }
  const count = first - 0x80
  const digits = bytes.subarray(at + 1, at + 1 + count)
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
  const isShortest = count >= 1 && count <= 3 && digits.length === count && digits[0] !== 0 && length >= 0x80
  if (!isShortest) throw new Malformed('A length is indefinite, too long or not in its shortest form.')
  return { length, start: at + 1 + count }
}

const elementAt = (bytes: Uint8Array, at: number): Element => {
  const tag = bytes[at] ?? 0
  if ((tag & 0x1f) === 0x1f) throw new Malformed('A tag has more than one byte.')
  const { length, start } = readLength(bytes, at + 1)
  const end = start + length
  if (end > bytes.length) throw new Malformed('An element goes beyond its end.')
  return { tag, content: bytes.subarray(start, end), end }
}

/** The elements, one after another, that the bytes are. */
export const readElements = (bytes: Uint8Array): readonly Element[] => {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at)
    elements.push(element)
    at = element.end
  }
  return elements
}

/** The elements inside one of this tag. */
export const readInside = (element: Element | undefined, tag: number): readonly Element[] => {
  if (element?.tag !== tag) throw new Malformed('An element has another tag than it must have.')
  return readElements(element.content)
}

/** An object identifier as numbers and dots. */
export const readObjectIdentifier = ({ tag, content }: Element): string => {
  if (tag !== 0x06 || content.length === 0 || (content.at(-1) ?? 0) >= 0x80) {
    throw new Malformed('An object identifier is malformed.')
  }
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (!Number.isSafeInteger(arc)) throw new Malformed('An object identifier is too large.')
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const [first = 0, ...rest] = arcs
  const root = Math.min(Math.floor(first / 40), 2)
  return [root, first - 40 * root, ...rest].join('.')
}
