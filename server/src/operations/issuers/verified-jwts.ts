// What follows from a JWT of a trusted issuer whose signature was verified: that it is used once, and that its issuer may change meanwhile.
import type { TrustedIssuer } from '../../domain/clients/trusted-issuer.ts'
import { type Claims, usedUntil } from '../../domain/clients/foreign-claims.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { digestIn } from '../../domain/text/text.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'

/** By its `jti`, for each issuer. The kind, the first word, distinguishes it from every other use. */
export const useOfJwt = (
  { secrets }: Pick<Ports, 'secrets'>,
  kind: 'id-jag' | 'global-token-revocation',
  { issuer }: Pick<TrustedIssuer, 'issuer'>,
  claims: Claims,
): SingleUse => ({
  id: digestIn(secrets.hash(`${kind}\n${issuer}\n${String(claims['jti'])}`)),
  until: usedUntil(claims),
})

const CHANGED = 'The record of the issuer changed while its JWT was verified: try again.'

export const issuerChanged = (): Unavailable => new Unavailable(CHANGED, { toCaller: CHANGED })
