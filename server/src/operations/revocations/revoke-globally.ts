// Ends what was issued for a subject because its issuer says so (draft-parecki-oauth-global-token-revocation-06). It refuses nothing
// later: who signs in again gets tokens again.
import { formatIssuerSubject } from '../../../../api/values/subject.ts'
import { recordFor } from '../../domain/clients/foreign-jwt.ts'
import { revocationJwtFault } from '../../domain/clients/global-revocation.ts'
import { actBy, type IssuerCaller } from '../../domain/caller.ts'
import { NO_CONDITIONS } from '../../domain/ledger/revocation.ts'
import { type OrRefusal, refuse, refuseCaller } from '../../domain/refusal.ts'
import type { TrustedRecord } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import { issuerChanged, useOfJwt } from '../issuers/verified-jwts.ts'
import type { RequestOrigin } from '../authentication/authenticate-client.ts'

type GlobalPorts = Pick<Ports, 'agents' | 'foreignIssuers' | 'issuers' | 'revocations' | 'secrets'>

type CallOrigin = Pick<RequestOrigin, 'requestId' | 'source'>

/** `endpoint` is the URL for which the JWT has to be made. */
type Presented = Pick<CallOrigin, 'source'> & { readonly jwt: string | undefined; readonly endpoint: string }

const UNKNOWN = 'The bearer token is not a JWT of a trusted issuer for this endpoint, or was used before.'

/** One text for every cause (RFC 6750 §3.1). */
const refuseJwt = (inside: string) => {
  const { refusal } = refuseCaller('invalid_token', UNKNOWN, 'Bearer error="invalid_token"')
  return { refusal: { ...refusal, inside, attempt: { way: 'operator', clientId: null } as const } }
}

/** An issuer, by a JWT that was made for one revocation. */
export type RecognizedIssuer = {
  readonly caller: IssuerCaller
  readonly record: TrustedRecord
  readonly use: SingleUse
}

/**
 * The issuer whose JWT it is, for this endpoint and now; nothing is used up yet. Keys are fetched only for what is right but for its
 * signature.
 */
export const recognizeIssuer = async (
  ports: GlobalPorts,
  { jwt: text, endpoint, source }: Presented,
): Promise<OrRefusal<RecognizedIssuer>> => {
  if (text === undefined) return refuseCaller('invalid_client', 'Send a JWT of the issuer as a Bearer token.', 'Bearer')
  const jwt = ports.foreignIssuers.readRevocation(text)
  if ('wrong' in jwt) return refuseJwt(jwt.wrong)
  const { now } = await ports.agents.viewForIssue([], 'cached')
  const wrong = revocationJwtFault({ jwt, endpoint, now })
  if (wrong !== undefined) return refuseJwt(wrong)
  const record = recordFor((await ports.issuers.trusted()).issuers, jwt.claims)
  if (record === undefined) return refuseJwt('no trusted issuer fits')
  const unsigned = await jwt.verify(record, source)
  if (unsigned !== null) return refuseJwt(unsigned)
  return {
    caller: { kind: 'issuer', alias: record.alias },
    record,
    use: useOfJwt(ports, 'global-token-revocation', record, jwt.claims),
  }
}

const BY_SUB =
  'sub_id: subjects of this issuer are named by oid here, and not by sub: revoke by subject, as an operator.'
const OF_ANOTHER = 'sub_id is a subject of another issuer than that of the JWT.'

/** One id for one use, by which a repetition finds what was made: a UUID of no meaning to others (RFC 9562 §5.8). */
const idOf = ({ id }: SingleUse): string => {
  const variant = '89ab'[Number.parseInt(id.charAt(16), 16) % 4]
  return [
    id.slice(0, 8),
    id.slice(8, 12),
    `8${id.slice(13, 16)}`,
    `${variant}${id.slice(17, 20)}`,
    id.slice(20, 32),
  ].join('-')
}

type Identifier = { readonly iss: string; readonly sub: string }

/** One of them is there. */
type Named = { readonly sub_id?: Identifier | undefined; readonly subject?: Identifier | undefined }

/** After its answer no token that acts for the subject, and was decided on before, is active. */
export const revokeGlobally = async (
  ports: GlobalPorts,
  { caller, record, use }: RecognizedIssuer,
  { sub_id: id, subject: earlier }: Named,
  origin: CallOrigin,
): Promise<OrRefusal<{ readonly revocationId: string }>> => {
  const subject = id ?? earlier
  if (subject?.iss !== record.issuer) return refuse('insufficient_scope', OF_ANOTHER)
  if (record.subjectClaim !== 'sub') return refuse('invalid_request', BY_SUB)
  const conditions = { ...NO_CONDITIONS, subject: formatIssuerSubject({ issuer: record.alias, sub: subject.sub }) }
  const revocation = { id: idOf(use), conditions, reason: 'bulk_revocation' } as const
  const act = actBy({ caller, ...origin }, 'revocation.create')
  const made = await ports.revocations.createForIssuer(revocation, { use, by: record }, act)
  if (made === 'used') return refuseJwt('its jti was used before')
  if (made === 'issuer_changed') throw issuerChanged()
  if (typeof made === 'string' || !('revocation' in made)) throw new Error('A revocation for an issuer was not made.')
  return { revocationId: revocation.id }
}
