// Sessions of operators in the console: kept in the store, made at the identity provider.
import type { Act } from '../domain/audit/act.ts'
import type { Session, SessionTokens } from '../domain/clients/session.ts'
import type { Source } from '../domain/source.ts'
import type { Sha256 } from '../domain/text/text.ts'
import type { ConsoleSubject } from '../../../api/values/console-events.ts'
import type { Milliseconds } from '../../../api/values/time.ts'

/** Its tokens are encrypted: the store sees no secret of the provider. */
export type Sealed = { readonly sealedTokens: Uint8Array; readonly expiresAt: Milliseconds }

/** The session that a new one replaces, and the act that ends it. */
export type SessionBefore = { readonly secretHash: Sha256; readonly act: Act }

export type NewSession = Pick<Session, 'id' | 'iss' | 'sub' | 'name'> & Sealed & { readonly secretHash: Sha256 }

/** `renewingUntil`: the time until which somebody has claimed its renewal. */
export type KeptSession = Session & { readonly sealedTokens: Uint8Array; readonly renewingUntil: Milliseconds }

/** A session that has not ended, at the time of the store's clock. */
export type FoundSession = { readonly session: KeptSession; readonly now: Milliseconds }

/** What the store holds now: two versions of a subject are equal if nothing of it changed in between. */
export type ConsoleNews = {
  readonly versions: Readonly<Record<ConsoleSubject, string>>
  /** When the JWT of each of the sessions expires that have not ended, by id. */
  readonly sessions: ReadonlyMap<string, Milliseconds>
  readonly now: Milliseconds
}

export interface Sessions {
  /** Creates a session, ends the one that the browser had `before`, if it goes on, and all but the operator's newest 20. */
  create(session: NewSession, act: Act, before?: SessionBefore | null): Promise<void>
  /** That of a cookie, which has this hash; its use is noted in the background. Undefined if it ended. */
  find(secretHash: Sha256): Promise<FoundSession | undefined>
  /**
   * Claims the renewal of the session as the caller read it: only one may renew it. Returns until when the claim lasts, for 15 s if
   * the caller ends without a word; undefined if another has the claim, or has renewed it.
   */
  claimRenewal(session: Pick<KeptSession, 'id' | 'sealedTokens'>): Promise<Milliseconds | undefined>
  /** Ends a claim whose renewal failed, unless another claim took its place; the next is possible from `againAt` on. */
  releaseRenewal(id: string, claim: Milliseconds, againAt: Milliseconds): Promise<void>
  /**
   * Keeps what a renewal got, unless another claim took its place. Where the store does not take it, it is written again in the
   * background.
   */
  renew(id: string, claim: Milliseconds, sealed: Sealed): Promise<void>
  /** The session once it was renewed, has ended, or nobody renews it any more; as it is after 3 s, if somebody still does. */
  awaitRenewal(secretHash: Sha256, before: KeptSession): Promise<FoundSession | undefined>
  /** A look that costs the same whatever the store holds; it is no use of the sessions that it names. */
  readNews(sessionIds: readonly string[]): Promise<ConsoleNews>
  /** Lists at most `limit`, by id, after the id `after`; those that have ended are left out. */
  list(after: string | null, limit: number): Promise<readonly Session[]>
  /** Ends a session. Returns undefined if there is none, or none any more. */
  end(id: string, act: Act): Promise<Session | undefined>
}

/** What a browser must bring back from the provider. */
export type SignInBegun = {
  /** The URL at the provider. */
  readonly location: string
  readonly state: string
  /** The state of the sign-in for a cookie of the browser: encrypted, and good for ten minutes. */
  readonly pending: string
}

export type SignedIn = {
  readonly tokens: SessionTokens
  readonly name: string | null
  /** The path below the console to which the browser returns. */
  readonly to: string
}

/** Why, in a sentence for the operator; `inside` is the cause, for the log only. */
export type SignInRefused = { readonly refused: string; readonly inside?: string }

/** The console's client at the identity provider. Its methods throw Unavailable if the provider does not answer in time, and while the network of `source` has as many sign-ins under way as one may. */
export interface SignIn {
  begin(to: string, source: Source): Promise<SignInBegun>
  /** `callback` is the address to which the provider sent the browser. */
  finish(callback: URL, pending: string, source: Source): Promise<SignedIn | SignInRefused>
  /** The path that the sign-in of this cookie was begun with; undefined where we did not seal it. */
  wanted(pending: string): string | undefined
  /** Refused: the provider renews it no more. */
  renew(refreshToken: string): Promise<SessionTokens | SignInRefused>
  seal(tokens: SessionTokens): Uint8Array
  /** Returns undefined if they were sealed under another key-encryption key. */
  open(sealed: Uint8Array): SessionTokens | undefined
}
