// Lists that are paged by the id of their last record: agents' credentials, API keys and signing keys, few beside the tokens.
import { isUuid } from '../../../../api/values/uuid.ts'

export type KeysetName = 'credentials' | 'api_keys' | 'signing_keys'

const ID: Readonly<Record<KeysetName, (text: string) => boolean>> = {
  credentials: isUuid,
  api_keys: isUuid,
  // The store's number.
  signing_keys: text => /^[1-9]\d{0,14}$/.test(text),
}

const VERSION = '1'

/** The opaque text of a place in a list, bound to the list and to the fingerprint of what was asked of it. */
export const formatKeysetCursor = (list: KeysetName, fingerprint: string, after: string): string =>
  [VERSION, list, fingerprint, after].join('.')

/** The id in a cursor of this list and fingerprint; undefined for any other text. */
export const parseKeysetCursor = (list: KeysetName, fingerprint: string, cursor: string): string | undefined => {
  const [version, listed, print, after = '', ...rest] = cursor.split('.')
  const isOfList = version === VERSION && listed === list && print === fingerprint && rest.length === 0
  return isOfList && ID[list](after) ? after : undefined
}
