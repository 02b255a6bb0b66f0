// What was pasted: the id of a token, what looks like the text of one, or a secret.
import { isCompactJws, isSecretText, tokenInPasted } from '../../../api/values/pasted-token.ts'
import { parseUuid } from '../../../api/values/uuid.ts'

/** A name is no longer. */
const NAME_CHARACTERS_MAX = 100

export const readTokenId = (text: string): string | undefined => parseUuid(tokenInPasted(text))

/** A text that can only be a token, or a piece of one. */
export const isTokenText = (text: string): boolean => {
  const isLong = text.trim().length > NAME_CHARACTERS_MAX
  return isCompactJws(tokenInPasted(text)) || (isLong && !isSecretText(text))
}
