// Distinguished names of certificate subjects: parsed from their text (RFC 4514), and compared part by part, never as text.

/** `type` is a dotted object identifier. `value` is the characters, regardless of the string type. */
export type NameAttribute = { readonly type: string; readonly value: string }

/** In the order of the encoding, which is the reverse of the text. A part with several attributes is a set. */
type DistinguishedName = readonly (readonly NameAttribute[])[]

const DIRECTORY = '2.5.4'

/** RFC 4514 §3, RFC 4519, and what authorities use beyond them; in upper case. */
const TYPES: Readonly<Record<string, string>> = {
  CN: `${DIRECTORY}.3`,
  SN: `${DIRECTORY}.4`,
  SERIALNUMBER: `${DIRECTORY}.5`,
  C: `${DIRECTORY}.6`,
  L: `${DIRECTORY}.7`,
  ST: `${DIRECTORY}.8`,
  STREET: `${DIRECTORY}.9`,
  O: `${DIRECTORY}.10`,
  OU: `${DIRECTORY}.11`,
  TITLE: `${DIRECTORY}.12`,
  BUSINESSCATEGORY: `${DIRECTORY}.15`,
  POSTALCODE: `${DIRECTORY}.17`,
  GN: `${DIRECTORY}.42`,
  GIVENNAME: `${DIRECTORY}.42`,
  DNQUALIFIER: `${DIRECTORY}.46`,
  ORGANIZATIONIDENTIFIER: `${DIRECTORY}.97`,
  UID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
  EMAILADDRESS: '1.2.840.113549.1.9.1',
}

const OBJECT_IDENTIFIER = /^[0-2](?:\.(?:0|[1-9]\d*))+$/

const typeOf = (name: string): string | undefined => (OBJECT_IDENTIFIER.test(name) ? name : TYPES[name.toUpperCase()])

// A value in the form #hex is refused: it is the encoding, but characters are compared. A value starts with no space, so that
// a run of spaces is read once.
const ATTRIBUTE =
  / *([A-Za-z][A-Za-z0-9-]*|[0-9.]+) *= *((?:\\(?:[ "#+,;<=>\\]|[0-9A-Fa-f]{2})|[^\\"+,;<>\0# ])(?:\\(?:[ "#+,;<=>\\]|[0-9A-Fa-f]{2})|[^\\"+,;<>\0])*)([,+]|$)/uy
const CHARACTER = /\\([0-9A-Fa-f]{2})|\\?([^])/gu

/** Removes escapes; pairs of hex digits are bytes of UTF-8. Undefined if they are not, or if a trailing space is unescaped. */
const unescapeValue = (text: string): string | undefined => {
  if (/(?:^|[^\\])(?:\\\\)* $/.test(text)) return undefined
  const encoded = text.replaceAll(CHARACTER, (_, byte: string | undefined, character: string) =>
    byte === undefined ? encodeURIComponent(character) : `%${byte}`,
  )
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Parses the text of a name (RFC 4514); undefined if it is malformed. */
export const parseName = (text: string): DistinguishedName | undefined => {
  if (!text.isWellFormed()) return undefined
  const parts: NameAttribute[][] = [[]]
  for (let at = 0, isLast = false; !isLast; ) {
    ATTRIBUTE.lastIndex = at
    const [whole = '', name = '', raw = '', separator] = ATTRIBUTE.exec(text) ?? []
    const [type, value] = [typeOf(name), unescapeValue(raw)]
    if (separator === undefined || type === undefined || value === undefined) return undefined
    parts.at(-1)?.push({ type, value })
    if (separator === ',') parts.push([])
    isLast = separator === ''
    at += whole.length
  }
  return parts.toReversed()
}

/** The same text for equal names: the order of attributes within a part is irrelevant. */
export const canonicalName = (name: DistinguishedName): string =>
  JSON.stringify(name.map(part => part.map(({ type, value }) => JSON.stringify([type, value])).toSorted()))
