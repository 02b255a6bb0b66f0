// Where the screen of a subject of an issuer is.
import { addressOf } from '../address.ts'

/** The member of the address that names it, as the filters of lists do. */
export const SUBJECT = 'subject'

/** `subject` is `ALIAS:SUB`. */
export const addressOfSubject = (subject: string): string =>
  addressOf('subjects', new URLSearchParams({ [SUBJECT]: subject }))
