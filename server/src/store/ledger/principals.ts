// Principals: subjects of trusted issuers, stored once, and named by number in the rows of the tokens that act for them.
import type { NewPrincipal, Principal } from '../../domain/ledger/token-subject.ts'
import type { SubjectClaim } from '../../../../api/values/issuers.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'
import { excludeEarlierPrograms, type Programs, requireKnowledge } from '../schema-version.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'

const SELECT = `select i.alias as issuer, i.iss, p.sub from principal p join trusted_issuer i on i.n = p.issuer
  where p.n = ?`

export const readPrincipal = (n: number): Program<Principal | undefined> => first<Principal>(SELECT, n)

const ISSUER = 'select n from trusted_issuer where alias = ?'

/** The number of an issuer, deleted or not; undefined where none ever had the alias. */
export function* numberOfIssuer(alias: string): Program<number | undefined> {
  return (yield* first<{ n: number }>(ISSUER, alias))?.n
}

type NamedIssuer = { readonly n: number; readonly subjectClaim: SubjectClaim }

/** The number of an issuer that is not deleted. */
export function* numberOfTrusted(alias: string): Program<number | undefined> {
  return (yield* first<{ n: number }>(`${ISSUER} and deleted_at is null`, alias))?.n
}

const NAMED = 'select n, subject_claim as "subjectClaim" from trusted_issuer where iss = ? and deleted_at is null'

/** The issuers, not deleted, that call themselves so: several for several tenants. */
export const issuersNamed = (iss: string): Program<readonly NamedIssuer[]> => all<NamedIssuer>(NAMED, iss)

/** The number of the issuer of a principal. */
export function* readIssuerOf(n: number): Program<number | undefined> {
  return (yield* first<{ issuer: number }>('select issuer from principal where n = ?', n))?.issuer
}

/** Whether tokens may be kept that act for subjects of one of these issuers. */
export function* isAnyKeptOf(issuers: readonly number[]): Program<boolean> {
  for (const n of issuers) {
    if ((yield* first('select 1 as found from principal where issuer = ? limit 1', n)) !== undefined) return true
  }
  return false
}

const BLOCKED = 'select 1 as found from blocked_subject where issuer = ? and sub = ?'

/** Whether nothing is issued for the principal, by repositories/blocked-subjects.ts. */
export function* isBlocked({ issuer, sub }: NewPrincipal): Program<boolean> {
  return (yield* first(BLOCKED, issuer, sub)) !== undefined
}

const KEPT = 'select n, used_day as day from principal where issuer = ? and sub = ?'

const readKept = ({ issuer, sub }: NewPrincipal) => first<{ n: number; day: number }>(KEPT, issuer, sub)

/** The number of a principal for whom tokens are kept; undefined where there are none. */
export function* numberOfKept(principal: NewPrincipal): Program<number | undefined> {
  return (yield* readKept(principal))?.n
}

const NUMBER = `select p.n from principal p join trusted_issuer i on i.n = p.issuer where i.alias = ? and p.sub = ?`

/** The same by the alias of its issuer. */
export function* numberOfPrincipal({ issuer, sub }: Omit<Principal, 'iss'>): Program<number | undefined> {
  return (yield* first<{ n: number }>(NUMBER, issuer, sub))?.n
}

// The day is kept so that retention finds those of which no token is left.
const KEEP = 'update principal set used_day = ? where n = ?'
const INSERT = 'insert into principal (issuer, sub, used_day) values (?, ?, ?) returning n'

/** The number of a principal, stored where it is new; in the transaction that writes a root for it. Descendants expire with that. */
export function* keepPrincipal(principal: NewPrincipal, now: Milliseconds): Program<number> {
  const day = Math.floor(now / DAY_MS)
  const kept = yield* readKept(principal)
  if (kept === undefined) {
    yield* excludeEarlierPrograms('exchange of JWTs')
    return (yield* only<{ n: number }>(INSERT, principal.issuer, principal.sub, day)).n
  }
  // A clock that is set back shortens nothing.
  if (kept.day < day) yield* run(KEEP, day, kept.n)
  return kept.n
}

/** The same for a principal that an act names: a program that does not know any would take the act for one against all tokens. */
export function* keepNamed(tx: Programs & { readonly now: Milliseconds }, principal: NewPrincipal): Program<number> {
  if ((yield* readKept(principal)) === undefined) yield* requireKnowledge(tx, 'exchange of JWTs', 'subjects')
  return yield* keepPrincipal(principal, tx.now)
}
