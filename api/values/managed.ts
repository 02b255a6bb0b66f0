// What files declare, and what becomes of it: the names of the wire.

/** In the order in which they are applied. */
export const MANAGED_KINDS = ['issuer', 'agent', 'credential'] as const
export type ManagedKind = (typeof MANAGED_KINDS)[number]

/** `replace`: a new credential takes the place of one of the same name. `adopt`: nothing but who manages it changes. */
export const MANAGED_ACTIONS = ['none', 'create', 'change', 'replace', 'adopt', 'delete'] as const
export type ManagedAction = (typeof MANAGED_ACTIONS)[number]

/** What was done by hand, and no file undoes. */
export const MANAGED_REMARKS = ['disabled', 'suspended', 'revoked'] as const
export type ManagedRemark = (typeof MANAGED_REMARKS)[number]

/** The largest body of a plan, or of one of its records, in bytes. */
export const PLAN_BYTES_MAX = 1_048_576

/** Records that one plan may hold. */
export const PLANNED_RECORDS_MAX = 100

const SET = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
export const SET_PATTERN = SET.source

/** What `isSetName` accepts, for messages. */
export const SET_FORM = '1 to 64 small letters, digits, hyphens, dots and underscores, a letter or digit at either end'

export const isSetName = (text: string): boolean => SET.test(text)
