// What was typed or pasted into the search: a name, the id of a token, the text of one, or what is sent nowhere.
import { isCompactJws, readPasted } from '../../../api/values/pasted-token.ts'
import { parseUuid } from '../../../api/values/uuid.ts'

/** A name is no longer. */
const NAME_CHARACTERS_MAX = 100

const NOT_SENT = {
  secret:
    'This is a client secret or an API key: it was sent nowhere. If it leaked, end it with mintmark leaked-secrets.',
  token: 'This is a token: it was sent nowhere. Paste it into the search above.',
  several: 'These are several tokens: paste one of them.',
  words: 'No token stands whole in this text.',
} as const

/** Why a text is no filter: it may not stand in an address. Undefined where it may. */
export const notFilter = (text: string): string | undefined => {
  const { text: word, not } = readPasted(text.trim())
  if (not === 'secret') return NOT_SENT.secret
  return not === 'several' || isCompactJws(word) ? NOT_SENT.token : undefined
}

export type Sought =
  | { readonly name: string; readonly tokenId: string | undefined }
  | { readonly token: string }
  /** The sentence says why. */
  | { readonly notSent: string }

export const readSought = (text: string): Sought => {
  const asked = text.trim()
  const { text: word, not } = readPasted(asked)
  if (not === 'secret' || not === 'several') return { notSent: NOT_SENT[not] }
  if (isCompactJws(word)) return { token: word }
  if (asked.length <= NAME_CHARACTERS_MAX) return { name: asked, tokenId: parseUuid(word) }
  // Only a token, or a piece of one, has so many characters.
  return not === undefined ? { token: word } : { notSent: NOT_SENT[not] }
}
