// SHA-256 in base64url, of bytes and of text.
import { base64url } from 'jose'

const encoder = new TextEncoder()

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

export const sha256Text = (text: string): Promise<Uint8Array> => sha256(encoder.encode(text))

/** Encodes a digest as `ath` (RFC 9449 §4.2) and `x5t#S256` (RFC 8705 §3.1). */
export const encodeDigest = (digest: Uint8Array): string => base64url.encode(digest)
