// On whose behalf a token acts, as its claim `sub` says it: the id of an agent, or `ALIAS:SUB`, a subject of an issuer that an
// administrator trusts under this alias.
import { parseUuid } from './uuid.ts'

/** The form of an alias, without its ends. */
export const ALIAS = '[a-z0-9-]{1,32}'

const SUB = '[!-~]{1,255}'

export const SUB_PATTERN = `^${SUB}$`

const WHOLE_SUB = new RegExp(SUB_PATTERN)

export const SUB_FORM = '1 to 255 printable ASCII characters without spaces'

/** Whether the text may be the subject that an issuer names. */
export const isSub = (text: string): boolean => WHOLE_SUB.test(text)

/** No UUID holds a colon: one of an issuer is never taken for an agent. A subject of an issuer may hold further colons. */
const ISSUER_SUBJECT = new RegExp(`^${ALIAS}:${SUB}$`)

/** As a regular expression for the document: a UUID in any case, or `ALIAS:SUB`. */
export const SUBJECT_PATTERN = `^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$|${ISSUER_SUBJECT.source}`

export const SUBJECT_FORM = 'the id of an agent, or ALIAS:SUB of an issuer'

/** As a regular expression for the document: `ALIAS:SUB`. */
export const ISSUER_SUBJECT_PATTERN = ISSUER_SUBJECT.source

export const ISSUER_SUBJECT_FORM = 'ALIAS:SUB, a subject of a trusted issuer'

/** A subject of an issuer, by the alias of that issuer. */
export type IssuerSubject = { readonly issuer: string; readonly sub: string }

/** The parts of `ALIAS:SUB`; undefined for any other text. */
export const parseIssuerSubject = (text: string): IssuerSubject | undefined => {
  if (!ISSUER_SUBJECT.test(text)) return undefined
  const colon = text.indexOf(':')
  return { issuer: text.slice(0, colon), sub: text.slice(colon + 1) }
}

export const formatIssuerSubject = ({ issuer, sub }: IssuerSubject): string => `${issuer}:${sub}`

/** The `sub` that a text is, that of an agent in its canonical form; undefined where it is none. */
export const parseSubject = (text: string): string | undefined =>
  parseUuid(text) ?? (ISSUER_SUBJECT.test(text) ? text : undefined)
