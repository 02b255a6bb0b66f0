// The byte order mark with which some editors and servers begin a text in UTF-8. One is passed over in front of a document
// (RFC 8259 §8.1 allows it), and refused by name where a value would silently become another one.
export const BYTE_ORDER_MARK = '\u{FEFF}'

/** Its three bytes as a header shows them, each as a character. */
export const HEADER_BYTE_ORDER_MARK = '\u{EF}\u{BB}\u{BF}'

export const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/** `what` is what begins with it. */
export const formatByteOrderMark = (what: string): string =>
  `${what} begins with a byte order mark (U+FEFF): send it without one.`
