// UUIDs (RFC 9562 §4).

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const UUID_OPENING = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/

/** The beginning of UUIDs of a text in any case; undefined where it is none, or so short that it is more likely a name. */
export const parseUuidOpening = (text: string): string | undefined => {
  const lower = text.toLowerCase()
  return UUID_OPENING.test(lower) ? lower : undefined
}

/** Whether the text is a UUID in its canonical, lower-case form. */
export const isUuid = (text: string): boolean => UUID.test(text)

/** The UUID of a text in any case, in its canonical form. */
export const parseUuid = (text: string): string | undefined => {
  const lower = text.toLowerCase()
  return isUuid(lower) ? lower : undefined
}
