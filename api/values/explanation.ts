// Names in the explanation of a token: what was checked, and which code says why it is not active.
import type { Reason } from './reason.ts'

/** Checks of a text, which come before those of the token that it names. */
export const TEXT_CHECKS = ['form', 'issuer', 'record', 'spelling'] as const

/** Checks of a token that has its row in the ledger, in order. */
export const OWN_CHECKS = [
  'expiry',
  'service',
  'agent',
  'credential',
  'signing_key',
  'trusted_issuer',
  'subject',
  'cut_offs',
] as const

/** Made only of tokens that act for a subject of a trusted issuer. */
export const CHECKS_OF_SUBJECTS: readonly OwnCheck[] = ['trusted_issuer', 'subject']

export type OwnCheck = (typeof OWN_CHECKS)[number]

/** `end`: whether an end is recorded. `ancestor`: one for each ancestor, the parent first. */
export const CHECKS = [...TEXT_CHECKS, 'end', ...OWN_CHECKS, 'ancestor'] as const

export type CheckName = (typeof CHECKS)[number]

/** What a text is that is no token of this service in its exact spelling. */
export const TEXT_CODES = ['malformed', 'foreign', 'unknown', 'other_spelling'] as const

export type TextCode = (typeof TEXT_CODES)[number]

export type ExplanationCode = 'active' | Reason | TextCode
