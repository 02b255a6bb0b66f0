// Trusted issuers in the contract: their names, what their JWTs may be, and bounds.
import { isPlainName } from './credentials.ts'
import { ALIAS } from './subject.ts'
import { isProviderAddress, parseWebAddress } from '../../packages/verify/src/readers/web-address.ts'

/** Records that are not deleted. */
export const ISSUERS_MAX = 64

export const ALIAS_PATTERN = `^${ALIAS}$`

const WHOLE_ALIAS = new RegExp(ALIAS_PATTERN)

export const ALIAS_FORM = '1 to 32 of a-z, 0-9 and hyphen'

/** Whether the text may be the alias of an issuer. */
export const isAlias = (text: string): boolean => WHOLE_ALIAS.test(text)

/** The claims by which an issuer may name its subjects. */
export const SUBJECT_CLAIMS = ['sub', 'oid'] as const

export type SubjectClaim = (typeof SUBJECT_CLAIMS)[number]

/** The kinds of JWTs that may be taken from an issuer. */
export const TOKEN_TYPES = ['id_token', 'access_token', 'jwt', 'id-jag'] as const

export type TokenType = (typeof TOKEN_TYPES)[number]

/** Subjects that are blocked, of all issuers together. */
export const BLOCKED_SUBJECTS_MAX = 100_000
/** Claims that one issuer may require. */
export const REQUIRED_CLAIMS_MAX = 8
/** Parties that one issuer may list. */
export const PARTIES_MAX = 64

/** The longest lifetime of tokens that act for the subjects of an issuer, unless it is given. */
export const ISSUER_LIFETIME_SECONDS = 300

const CLAIM_NAME = /^[\x21-\x7e]{1,64}$/

/** Each token has another, none with it is taken, the record has it already, or it names a person for ever in the audit log. */
const NOT_REQUIRED: readonly string[] = ['iss', 'sub', 'oid', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'act']

export const isClaimName = (text: string): boolean => CLAIM_NAME.test(text) && !NOT_REQUIRED.includes(text)

export const CLAIM_NAME_FORM = `1 to 64 printable ASCII characters without spaces, other than ${NOT_REQUIRED.join(', ')}`

const CLAIM_VALUE = /^(?!\p{Z})[^\p{C}\p{Zl}\p{Zp}]{1,256}(?<!\p{Z})$/u

export const isClaimValue = (text: string): boolean => CLAIM_VALUE.test(text)

export const CLAIM_VALUE_FORM = '1 to 256 printable characters without a space at either end'

const PARTY = /^[\x21-\x7e]{1,255}$/

export const isParty = (text: string): boolean => PARTY.test(text)

export const PARTY_FORM = '1 to 255 printable ASCII characters without spaces'

// Microsoft writes its placeholder as `{tenantid}` in its own metadata.
const PLACEHOLDER = /[{}<>]|%(?:7b|7d|3c|3e)/i

const ENTRA = /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)$/
const MANY_TENANTS = /^\/(?:common|organizations|consumers)(?:\/|$)/i

const ISSUER_FORM =
  'an https address (or http of this machine) without a password, a query and a fragment, of at most 512 characters'

/** What is wrong with the text as the issuer of one party, to follow its name; undefined where nothing is. */
export const issuerMistake = (text: string): string | undefined => {
  if (PLACEHOLDER.test(text))
    return 'holds a placeholder, and iss of a token never does: write the id of your tenant in its place'
  const url = parseWebAddress(text)
  if (url === undefined || !isPlainName(text) || /[?#]/.test(text) || !isProviderAddress(text))
    return `is not ${ISSUER_FORM}`
  if (!ENTRA.test(url.hostname) || !MANY_TENANTS.test(url.pathname)) return undefined
  return `is that of every tenant, which no token names: use the URL of your tenant, https://${url.hostname}/TENANT-ID/v2.0`
}
