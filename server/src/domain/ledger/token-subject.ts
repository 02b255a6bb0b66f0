// On whose behalf a token acts.
import { formatIssuerSubject, type IssuerSubject } from '../../../../api/values/subject.ts'

/** A subject of an issuer that an administrator trusts, by its alias. `iss` is what the issuer calls itself (RFC 7519 §4.1.1). */
export type Principal = IssuerSubject & { readonly iss: string }

/** A principal as a new token names it, by the store's number of its issuer. */
export type NewPrincipal = { readonly issuer: number; readonly sub: string }

/** The agent of the root of the token's lineage, or the principal for whom that root was issued. */
export type TokenSubject = { readonly agentId: string } | Principal

export const isAgent = (subject: TokenSubject): subject is { readonly agentId: string } => 'agentId' in subject

/** The claim `sub` (RFC 9068 §2.2). */
export const subjectClaim = (subject: TokenSubject): string =>
  isAgent(subject) ? subject.agentId : formatIssuerSubject(subject)
