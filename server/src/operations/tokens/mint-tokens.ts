// Makes signed tokens of grants, and the rows that record them.
import type { Ancestor } from '../../../../packages/verify/src/readers/claim-types.ts'
import { limitsOf } from '../../../../api/values/limits.ts'
import { formatScope } from '../../../../api/values/scope.ts'
import { formatIssuerSubject } from '../../../../api/values/subject.ts'
import {
  type AccessTokenClaims,
  actorClaim,
  audienceClaim,
  expiresSecondOf,
  issuedSecondOf,
  makeTokenId,
  type TokenAddress,
} from '../../domain/ledger/claims.ts'
import { subjectClaim } from '../../domain/ledger/token-subject.ts'
import type { NamedAncestor } from '../../domain/lists/page.ts'
import type { FoundToken, IssueView, NewToken, Ports } from '../../ports/ports.ts'
import type { MintedToken } from '../../ports/token-codec.ts'
import type { Grant, SubjectToken } from './grant-token.ts'

const RANDOM_BYTES_OF_ID = 10

type MintPorts = Pick<Ports, 'codec' | 'profile' | 'randomness'>

const ancestorClaim = (one: Omit<NamedAncestor, 'audience'>): Ancestor => ({
  id: one.id,
  exp: one.expiresAt,
  seq: one.seq,
  agent_id: one.agentId,
  credential_id: one.credentialId,
  kid: one.kid,
})

/** What a token that is got for another says of where it comes from. An agent that narrows a token of its own is no new actor. */
const inheritedClaims = ({ client: { agent } }: Grant, subject: SubjectToken) => {
  const actors = subject.agentId === agent.id ? subject.actors : [agent.id, ...subject.actors]
  const act = actorClaim(actors, subject.foreignAct)
  return {
    sub: subjectClaim(subject.subject),
    ...(act !== undefined && { act }),
    lineage: [subject, ...subject.ancestors].map(ancestorClaim),
  }
}

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
    credential_id: grant.credential.id,
  }
  const { agent } = grant.client
  const own = Object.keys(agent.claims).length === 0 ? claims : { ...claims, own: agent.claims }
  const confirmed = grant.cnf === undefined ? own : { ...own, cnf: grant.cnf }
  const { subject, principal } = grant
  if (principal !== undefined) {
    const act = actorClaim([grant.client.agent.id], principal.foreignAct)
    return { ...confirmed, sub: formatIssuerSubject(principal), ...(act !== undefined && { act }) }
  }
  return subject === undefined ? confirmed : { ...confirmed, ...inheritedClaims(grant, subject) }
}

const addressOf = ({ id, issuedAt, expiresAt }: FoundToken): TokenAddress => ({
  id,
  lifetimeSeconds: expiresAt - issuedAt,
})

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
  const { proof, assertion, idJag, subject, principal } = grant
  if ([proof, assertion, idJag, subject, principal].every(one => one === undefined)) return row
  return {
    ...row,
    ...(proof !== undefined && { proof }),
    ...(assertion !== undefined && { assertion }),
    ...(idJag !== undefined && { idJag }),
    ...(subject !== undefined && { parent: addressOf(subject) }),
    ...(principal !== undefined && { principal: { issuer: principal.number, sub: principal.sub } }),
  }
}

/** A token with the row that records it. */
export type Minted = { readonly token: string; readonly row: NewToken }

/** A signed token and its row for each grant, in order; undefined where the token would be too long. */
export const mintTokens = (
  ports: MintPorts,
  grants: readonly Grant[],
  view: IssueView,
): readonly (Minted | undefined)[] => {
  const random = ports.randomness.bytes(RANDOM_BYTES_OF_ID * grants.length)
  const claims = grants.map((grant, n) =>
    claimsOf(ports, grant, view, random.subarray(RANDOM_BYTES_OF_ID * n, RANDOM_BYTES_OF_ID * (n + 1))),
  )
  const minted = ports.codec.mint(claims, view.signingKey)
  if (minted.length !== grants.length) throw new Error('The codec minted fewer tokens than asked for.')
  return grants.map((grant, n) => {
    const [own, signed] = [claims[n], minted[n]]
    if (own === undefined || signed === undefined) return undefined
    return { token: signed.token, row: rowOf(grant, own, signed, view.signingKey.number) }
  })
}
