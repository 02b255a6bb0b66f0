// For whom the tokens act that a revocation names, by the store's own numbers.
import { parseIssuerSubject } from '../../../../api/values/subject.ts'
import type { CutOffConditions } from '../../domain/ledger/ledger.ts'
import type { NamedSubject, RevocationConditions, RevocationObstacle } from '../../domain/ledger/revocation.ts'
import type { NewPrincipal } from '../../domain/ledger/token-subject.ts'
import type { Program } from '../statement-program.ts'
import { issuersNamed, numberOfIssuer } from './principals.ts'

/** Undefined where no token is kept that acts for the principal. */
export type PrincipalNumber = (principal: NewPrincipal) => Program<number | undefined>

function* issuerOf(subject: NamedSubject): Program<NewPrincipal | RevocationObstacle> {
  if (typeof subject === 'string') {
    const named = parseIssuerSubject(subject)
    const issuer = named === undefined ? undefined : yield* numberOfIssuer(named.issuer)
    return named === undefined || issuer === undefined ? 'unknown_issuer' : { issuer, sub: named.sub }
  }
  const [issuer, ...others] = yield* issuersNamed(subject.iss)
  if (others.length > 0) return 'several_issuers_fit'
  return issuer?.subjectClaim === 'sub' ? { issuer: issuer.n, sub: subject.sub } : 'no_issuer_fits'
}

type ActsFor = Required<Pick<CutOffConditions, 'issuers' | 'principals'>>

/**
 * A subject for whom nothing was issued is no obstacle: who makes the revocation cannot know it. Nor is an issuer that is deleted, so
 * that a repetition finds the first.
 */
export function* resolveActsFor(
  { subject = null, issuer: alias = null }: RevocationConditions,
  principalNumber: PrincipalNumber,
): Program<ActsFor | RevocationObstacle> {
  const issuer = alias === null ? null : yield* numberOfIssuer(alias)
  if (issuer === undefined) return 'unknown_issuer'
  if (subject === null) return { issuers: issuer === null ? null : [issuer], principals: null }
  const principal = yield* issuerOf(subject)
  if (typeof principal === 'string') return principal
  const n = yield* principalNumber(principal)
  return { issuers: null, principals: n === undefined ? [] : [n] }
}
