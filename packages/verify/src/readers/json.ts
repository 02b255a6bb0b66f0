// JSON with one meaning: a text in which no object has two members of one name (RFC 7515 §4, RFC 7519 §4).

export type JsonObject = Readonly<Record<string, unknown>>

export const DEPTH_MAX = 16

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A byte order mark is kept, so that JSON.parse refuses it (RFC 8259 §8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// An unclosed string, which valid JSON has not, goes on to the end: the search never starts again inside of it.
const JSON_STRING = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/g

/** Members in a valid JSON text: outside strings, a colon stands in each and nowhere else. */
const membersWritten = (json: string): number => json.replace(JSON_STRING, '').split(':').length - 1

const QUOTE = 0x22

/**
 * No fewer than {@link membersWritten}, in a tenth of the time: before the colon of a member stands a quote or white space,
 * and hardly ever before one inside a string.
 */
const membersWrittenAtMost = (json: string): number => {
  let count = 0
  for (let at = json.indexOf(':'); at !== -1; at = json.indexOf(':', at + 1)) {
    if (json.charCodeAt(at - 1) <= QUOTE) count += 1
  }
  return count
}

/** Members that JSON.parse kept, in all objects together; not a number where the value is nested too deep. */
const membersKept = (value: object, depth: number): number => {
  if (depth > DEPTH_MAX) return Number.NaN
  const isArray = Array.isArray(value)
  const members: readonly unknown[] = isArray ? value : Object.values(value)
  let kept = isArray ? 0 : members.length
  for (const member of members)
    if (typeof member === 'object' && member !== null) kept += membersKept(member, depth + 1)
  return kept
}

/** Whether as many members remain as were written, so that no name is repeated. If the fast count is too large, the exact one decides. */
const hasUniqueNames = (json: string, value: JsonObject): boolean => {
  const kept = membersKept(value, 1)
  return kept === membersWrittenAtMost(json) || kept === membersWritten(json)
}

/** Returns undefined for repeated names: JSON.parse keeps the last of two members, other parsers the first. */
export const parseObject = (bytes: Uint8Array): JsonObject | undefined => {
  try {
    const json = utf8.decode(bytes)
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) && hasUniqueNames(json, value) ? value : undefined
  } catch {
    return undefined
  }
}
