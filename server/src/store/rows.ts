// How values stand in rows: ids as 16 bytes, hashes as bytes, lists as JSON.
import type { Labels } from '../../../api/values/labels.ts'
import { isOwnClaim, NO_OWN_CLAIMS, type OwnClaims } from '../../../api/values/own-claims.ts'

/** The bytes of a hash or a digest. */
export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex')

export const hexOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** The 16 bytes of a UUID; they compare as the text does. */
export const bytesOfId = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

export const idOfBytes = (bytes: Uint8Array): string => {
  const hex = hexOfBytes(bytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A list of strings in a column; what is there must be one, or the store is not ours. */
export const parseStrings = (json: string): readonly string[] => {
  const value: unknown = JSON.parse(json)
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) {
    throw new Error('The store holds a malformed list.')
  }
  return value
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The labels in a column: an object of strings, or the store is not ours. */
export const parseLabels = (json: string): Labels => {
  const value: unknown = JSON.parse(json)
  if (!isObject(value) || !Object.values(value).every(item => typeof item === 'string')) {
    throw new Error('The store holds malformed labels.')
  }
  return value as Labels // checked above
}

/** The own claims in a column. Most agents have none: then nothing is parsed. */
export const parseOwnClaims = (json: string): OwnClaims => {
  if (json === '{}') return NO_OWN_CLAIMS
  const value: unknown = JSON.parse(json)
  if (!isObject(value) || !Object.values(value).every(isOwnClaim)) {
    throw new Error('The store holds malformed claims.')
  }
  return value as OwnClaims // checked above
}

/** A list of so many rows of places. */
export const rowsOf = (count: number, row: string): string => Array.from({ length: count }, () => row).join(', ')
