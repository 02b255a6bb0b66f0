// Makes signed tokens of grants, and the rows that record them.
import { type AccessTokenClaims, audienceClaim } from '../../domain/ledger/claims.ts'
import { limitsOf } from '../../../../api/values/limits.ts'
import { formatScope } from '../../../../api/values/scope.ts'
import { expiresSecondOf, issuedSecondOf, makeTokenId } from '../../domain/ledger/token-id.ts'
import type { IssueView, MintedToken, NewToken, Ports } from '../../ports/ports.ts'
import type { Grant } from './grant-token.ts'

const RANDOM_BYTES_OF_ID = 10

type MintPorts = Pick<Ports, 'codec' | 'profile' | 'randomness'>

const claimsOf = (ports: MintPorts, grant: Grant, view: IssueView, random: Uint8Array): AccessTokenClaims => {
  const jti = makeTokenId(view.now, random)
  const claims = {
    iss: ports.profile.issuer,
    sub: grant.client.agent.id,
    aud: audienceClaim(grant.audience),
    client_id: grant.client.agent.clientId,
    iat: issuedSecondOf(jti),
    exp: expiresSecondOf(jti, grant.lifetimeSeconds),
    jti,
    scope: formatScope(grant.scope),
    seq: view.seq,
  }
  return grant.cnf === undefined ? claims : { ...claims, cnf: grant.cnf }
}

const rowOf = (grant: Grant, claims: AccessTokenClaims, minted: MintedToken, signingKey: number): NewToken => {
  const row = {
    id: claims.jti,
    lifetimeSeconds: grant.lifetimeSeconds,
    digest: minted.digest,
    agent: grant.client.number,
    credential: grant.credential.number,
    signingKey,
    scope: claims.scope,
    audience: grant.audience,
    seq: claims.seq,
    limits: limitsOf(grant.client.agent),
  }
  const { proof, assertion } = grant
  if (proof === undefined && assertion === undefined) return row
  return { ...row, ...(proof !== undefined && { proof }), ...(assertion !== undefined && { assertion }) }
}

/** A signed token and its row for each grant, in order. */
export const mintTokens = (
  ports: MintPorts,
  grants: readonly Grant[],
  view: IssueView,
): { token: string; row: NewToken }[] => {
  const random = ports.randomness.bytes(RANDOM_BYTES_OF_ID * grants.length)
  const claims = grants.map((grant, n) =>
    claimsOf(ports, grant, view, random.subarray(RANDOM_BYTES_OF_ID * n, RANDOM_BYTES_OF_ID * (n + 1))),
  )
  const minted = ports.codec.mint(claims, view.signingKey)
  return grants.map((grant, n) => {
    const [own, signed] = [claims[n], minted[n]]
    if (own === undefined || signed === undefined) throw new Error('The codec minted fewer tokens than asked for.')
    return { token: signed.token, row: rowOf(grant, own, signed, view.signingKey.number) }
  })
}
