// What was pasted: the id of a token, what looks like the text of one, or a secret.
import { tokenInPasted } from '../../../api/values/pasted-token.ts'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The compact form of a JWS (RFC 7515 §7.1); what it holds is the service's to judge. */
const COMPACT = /^eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}$/

/** A client secret or an API key, or most of one: alone, in quotes, or in the header, the variable or the command that it was copied with. */
const SECRET = /mm[ac]_[0-9A-Za-z]{16,}/

/** A name is no longer. */
const NAME_CHARACTERS_MAX = 100

export const readTokenId = (text: string): string | undefined => {
  const id = tokenInPasted(text).toLowerCase()
  return UUID.test(id) ? id : undefined
}

/** A text that is sent nowhere. A token may have the characters of a secret by chance. */
export const isSecretText = (text: string): boolean => SECRET.test(text) && !COMPACT.test(tokenInPasted(text))

/** A text that can only be a token, or a piece of one. */
export const isTokenText = (text: string): boolean => {
  const isLong = text.trim().length > NAME_CHARACTERS_MAX
  return COMPACT.test(tokenInPasted(text)) || (isLong && !isSecretText(text))
}
