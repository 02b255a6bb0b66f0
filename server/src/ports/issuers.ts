// Trusted issuers: their records in the store, and what the service learns from them: metadata, keys, JWTs.
import type { Act } from '../domain/audit/act.ts'
import type { ForeignJwt, ForeignType } from '../domain/clients/foreign-jwt.ts'
import type { GLOBAL_REVOCATION_TYPE } from '../domain/clients/global-revocation.ts'
import type { Subject, SwitchedSubject } from '../domain/clients/blocked-subject.ts'
import type { IssuerChange, NewIssuer, SwitchedIssuer, TrustedIssuer } from '../domain/clients/trusted-issuer.ts'
import type { AlreadyExists } from '../domain/idempotency.ts'
import type { KeyedPage, KeyedRequest } from '../domain/lists/page.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import type { IssuerSubject } from '../../../api/values/subject.ts'
import type { ProviderState } from './key-sets.ts'

/** The record of the same issuer for which a JWT of the new one could be meant too. */
export type IssuerTaken = { readonly taken: string }

/** `alias_taken`: also by one that is deleted. */
export type IssuerObstacle = 'alias_taken' | 'too_many' | IssuerTaken

/** Knows no deleted issuer, but for `create`. */
export interface IssuerRepository {
  /** Creates an issuer. Of two callers with one alias, one idempotency key, or records that one JWT could fit, one creates. */
  create(issuer: NewIssuer, act: Act): Promise<TrustedIssuer | IssuerObstacle | AlreadyExists>
  show(alias: string): Promise<TrustedIssuer | undefined>
  /** By alias. */
  list(request: KeyedRequest<object>): Promise<KeyedPage<TrustedIssuer>>
  /** Changes only the named members, for the next token. A change that changes nothing writes nothing. */
  change(alias: string, change: IssuerChange, act: Act): Promise<OrRefusal<TrustedIssuer> | undefined>
  /** From the acknowledgement on no process takes a JWT of it. */
  disable(alias: string, act: Act): Promise<SwitchedIssuer | undefined>
  enable(alias: string, act: Act): Promise<SwitchedIssuer | undefined>
  /** Its alias is never given again. */
  delete(alias: string, act: Act): Promise<'deleted' | 'unknown'>
  /**
   * The records that are not deleted, disabled or suspended, by alias, with the `service.seq` at which they were so. Read from
   * memory while that number stays.
   */
  trusted(): Promise<TrustedIssuers>
  /** From the acknowledgement on no token is issued for the subject, and none lives. `unknown`: no issuer has the alias. */
  block(subject: IssuerSubject, act: Act): Promise<SwitchedSubject | 'unknown' | 'too_many'>
  unblock(subject: IssuerSubject, act: Act): Promise<SwitchedSubject | 'unknown'>
  /** Those that are blocked, by `sub`; undefined where no issuer has the alias. */
  subjects(request: KeyedRequest<SubjectFilters>): Promise<KeyedPage<Subject> | undefined>
}

/** `sub` is null for all. */
export type SubjectFilters = { readonly alias: string; readonly sub: string | null }

/** `number` is the store's. */
export type TrustedRecord = TrustedIssuer & { readonly number: number }

export type TrustedIssuers = { readonly seq: number; readonly issuers: readonly TrustedRecord[] }

/** Whether the keys of an issuer can be read. */
export type IssuerState = ProviderState & Pick<TrustedIssuer, 'alias'>

/** A parsed JWT of an issuer: its claims are not trusted before `verify`. */
export type UnverifiedJwt<Type extends string = ForeignType> = ForeignJwt<Type> & {
  /**
   * Returns null if a key of this record signed it, with an algorithm of this record, and `iss` is that of this record; else what is
   * wrong. Does not block the thread. Throws Unavailable if the keys cannot be read, or if too many JWTs wait for keys or verification.
   */
  readonly verify: (issuer: TrustedIssuer, source: string) => Promise<string | null>
}

/** What the metadata of an issuer says of it. `named` is the issuer that it names. */
export type IssuerMetadata = 'as_written' | 'unreachable' | { readonly named: string | null }

export interface ForeignIssuers {
  /** Fetches the metadata, where that names the keys. Anything that cannot be read now is `unreachable`. */
  discover(issuer: string): Promise<IssuerMetadata>
  /** The state of each, in that order. Fetches keys if a fetch is due. */
  check(issuers: readonly TrustedIssuer[]): Promise<readonly IssuerState[]>
  /** Parses strictly, form and header; or returns what is wrong. No key is looked up. */
  read(text: string): UnverifiedJwt | { readonly wrong: string }
  /** The same for the JWT of a global revocation, which anybody may send: such JWTs wait for keys apart from others. */
  readRevocation(text: string): UnverifiedJwt<typeof GLOBAL_REVOCATION_TYPE> | { readonly wrong: string }
}

export type IssuerPorts = { readonly issuers: IssuerRepository; readonly foreignIssuers: ForeignIssuers }
