// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Actor } from './actor.ts'

export type ShowIssuerAnswer = {
  readonly alias: string
  readonly issuer: string
  /** The claim that names its subjects. */
  readonly subject_claim: 'sub' | 'oid'
  readonly require: Readonly<Record<string, string>>
  /** Null: from the issuer's metadata. */
  readonly jwks_uri: string | null
  readonly algorithms: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[]
  /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
  readonly token_types: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[]
  /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
  readonly parties: readonly string[]
  /** The most that its tokens may have, where their agent may too: items, or resource:*. */
  readonly scope: string
  /** The audiences that its tokens may have, where its agent may too; * for any. */
  readonly resources: readonly string[]
  /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
  readonly lifetime_seconds: number
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  readonly created_at: string
  /** Since when no JWT of it is taken; null: it is not disabled. */
  readonly disabled_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
}

export type EnableIssuerAnswer = {
  readonly alias: string
  readonly issuer: string
  /** The claim that names its subjects. */
  readonly subject_claim: 'sub' | 'oid'
  readonly require: Readonly<Record<string, string>>
  /** Null: from the issuer's metadata. */
  readonly jwks_uri: string | null
  readonly algorithms: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[]
  /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
  readonly token_types: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[]
  /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
  readonly parties: readonly string[]
  /** The most that its tokens may have, where their agent may too: items, or resource:*. */
  readonly scope: string
  /** The audiences that its tokens may have, where its agent may too; * for any. */
  readonly resources: readonly string[]
  /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
  readonly lifetime_seconds: number
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  readonly created_at: string
  /** Since when no JWT of it is taken; null: it is not disabled. */
  readonly disabled_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** Whether this request did it; false: it was so before, and the note is kept nowhere. */
  readonly changed: boolean
}

export type UnblockSubjectAnswer = {
  /** The alias of its issuer. */
  readonly issuer: string
  readonly sub: string
  /** Since when nothing is issued for it; null: it is not blocked. */
  readonly blocked_at: string | null
  readonly blocked_by: Actor | null
  readonly note: string | null
  /** Whether this request did it; false: it was so before, and the note is kept nowhere. */
  readonly changed: boolean
}

export type ListSubjectsRecord = {
  /** The alias of its issuer. */
  readonly issuer: string
  readonly sub: string
  /** Since when nothing is issued for it; null: it is not blocked. */
  readonly blocked_at: string | null
  readonly blocked_by: Actor | null
  readonly note: string | null
}

export type ListIssuersPage = {
  readonly data: readonly ShowIssuerAnswer[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ListSubjectsPage = {
  readonly data: readonly ListSubjectsRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type BlockSubjectBody = {
  /** The subject, as the issuer names it. */
  readonly sub: string
  readonly note?: string | null | undefined
  /** Count what would end, and change nothing. */
  readonly dry_run?: boolean
}

export type ChangeIssuerBody = {
  /** Where its keys stand. Null: as its metadata says. */
  readonly jwks_uri?: string | null | undefined
  /** The algorithms of its signatures. */
  readonly algorithms?: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[] | undefined
  /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
  readonly token_types?: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[] | undefined
  /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
  readonly parties?: readonly string[] | undefined
  /** The most that its tokens may have, where their agent may too: items, or resource:*. */
  readonly scope?: string | undefined
  /** The audiences that its tokens may have, where its agent may too; * for any. */
  readonly resources?: readonly string[] | undefined
  /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
  readonly lifetime_seconds?: number | undefined
}

export type CreateIssuerBody = {
  /** Its name here, which is never given again. */
  readonly alias: string
  /** `iss` of its JWTs, compared as it is written. */
  readonly issuer: string
  /** The claim that names its subjects. */
  readonly subject_claim?: 'sub' | 'oid' | undefined
  /** Claims that its JWTs must have, with exactly these values. Of two records of one issuer, one claim must differ. */
  readonly require?: Readonly<Record<string, string>> | undefined
  /** Where its keys stand. Null: as its metadata says. */
  readonly jwks_uri?: string | null | undefined
  /** The algorithms of its signatures. */
  readonly algorithms?: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[] | undefined
  /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
  readonly token_types: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[]
  /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
  readonly parties?: readonly string[] | undefined
  /** The most that its tokens may have, where their agent may too: items, or resource:*. */
  readonly scope: string
  /** The audiences that its tokens may have, where its agent may too; * for any. */
  readonly resources?: readonly string[] | undefined
  /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
  readonly lifetime_seconds?: number | undefined
}

export type ListSubjectsQuery = {
  /** Only this subject. */
  readonly sub?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type UnblockSubjectBody = {
  /** The subject, as the issuer names it. */
  readonly sub: string
  readonly note?: string | null | undefined
}
