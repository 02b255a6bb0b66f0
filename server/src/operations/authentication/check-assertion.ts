// Checks a client assertion (RFC 7521 §4.2): one that the client signed itself, or a token of an issuer that it trusts for a
// workload. Whether it was used before is decided later: when the token is written, or before a revocation.
import type { Client, Credential } from '../../domain/clients/agent.ts'
import { checkAssertionClaims } from '../../domain/clients/client-assertion.ts'
import { type AssertionTrust, isAssertionTrust, keyPlaceOf, trustDomainOf } from '../../domain/clients/client-trust.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import { digestIn } from '../../domain/text/text.ts'
import { type OrRefusal, refuse, Unavailable } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import { isPlainName } from '../../../../api/values/credentials.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { UnverifiedAssertion } from '../../ports/client-keys.ts'
import type { SingleUse } from '../../ports/secret-repositories.ts'
import type { Ports } from '../../ports/ports.ts'
import { type PresentedAssertion, refuseClient, type VerifiedCredentials } from './recognize-client.ts'

export type AssertionPorts = Pick<Ports, 'agents' | 'assertions' | 'credentials' | 'profile' | 'secrets'>

type Named = { readonly clientId: string; readonly kind: AssertionTrust['kind']; readonly credentialId: string | null }

/** The client that the assertion names; nothing is verified yet. */
const nameOf = async (
  { credentials, profile }: AssertionPorts,
  { claims: { iss, sub } }: UnverifiedAssertion,
): Promise<Named | { readonly wrong: string }> => {
  if (typeof sub !== 'string' || !isPlainName(sub)) return { wrong: 'sub is missing or not a plain text' }
  if (iss === sub) return { clientId: sub, kind: 'private_key_jwt', credentialId: null }
  // A JWT-SVID need not name its issuer: its trust domain is in its subject (SPIFFE JWT-SVID §3).
  const issuer = iss ?? trustDomainOf(sub)
  if (typeof issuer !== 'string' || !isPlainName(issuer)) return { wrong: 'iss is missing or not a plain text' }
  if (issuer === profile.issuer) return { wrong: 'it is of this service' }
  const found = await credentials.findWorkload(issuer, sub)
  if (found === undefined) return { wrong: 'no agent trusts this iss for this sub' }
  return { clientId: found.clientId, kind: 'workload_identity', credentialId: found.id }
}

type Found = Named & { readonly client: Client | undefined; readonly now: Milliseconds }

/** The client that the assertion names, as the store knows it now: no refusal comes from a cache. */
const findNamed = async (
  ports: AssertionPorts,
  read: UnverifiedAssertion,
  looks = 2,
): Promise<Found | { readonly wrong: string }> => {
  const named = await nameOf(ports, read)
  if ('wrong' in named) return named
  const { clients, now } = await ports.agents.viewForIssue([named.clientId], 'fresh')
  const [client] = clients
  const isThere = client?.credentials.some(({ id }) => id === named.credentialId)
  // Between the two reads another credential may take the place of a workload's.
  if (named.credentialId !== null && isThere !== true && looks > 1) return findNamed(ports, read, looks - 1)
  return { ...named, client, now }
}

type Candidate = { readonly credential: Credential; readonly trust: AssertionTrust }

const assertionTrustOf = ({ trust }: Credential): AssertionTrust | undefined =>
  trust !== null && isAssertionTrust(trust) ? trust : undefined

// Registered keys are tried before keys that must be fetched.
const candidatesOf = (client: Client, { kind, credentialId }: Named, now: Milliseconds): readonly Candidate[] =>
  client.credentials
    .flatMap(credential => {
      const trust = assertionTrustOf(credential)
      return trust === undefined ? [] : [{ credential, trust }]
    })
    .filter(({ trust }) => trust.kind === kind)
    .filter(({ credential: { id, expiresAt } }) => (credentialId ?? id) === id && !hasExpired(expiresAt, now))
    .toSorted((a, b) => Number(keyPlaceOf(a.trust).jwks === null) - Number(keyPlaceOf(b.trust).jwks === null))

/** The time, the issuer of this service, and where the request came from. */
type Asked = { readonly issuer: string; readonly now: Milliseconds; readonly source: Source }

type Tried = { readonly credential: Credential; readonly jti: string | null; readonly until: Milliseconds }

/** The verified candidate, or why it is not this one. Unavailable is returned: another candidate may have the key. */
const tryOne = async (
  read: UnverifiedAssertion,
  { credential, trust }: Candidate,
  at: Asked,
): Promise<Tried | Unavailable | { readonly wrong: string }> => {
  const claims = checkAssertionClaims(read.claims, trust, at)
  if ('wrong' in claims) return claims
  try {
    const wrong = await read.verify(keyPlaceOf(trust), at.source)
    return wrong === null ? { credential, ...claims } : { wrong }
  } catch (fault) {
    if (fault instanceof Unavailable) return fault
    throw fault
  }
}

/** The first candidate that verifies. An agent has a bounded number of credentials. */
const tryAll = async (
  read: UnverifiedAssertion,
  candidates: readonly Candidate[],
  at: Asked,
): Promise<Tried | { readonly wrong: string }> => {
  let wrong = 'the client has no credential for assertions of this kind'
  let unavailable: Unavailable | undefined
  for (const candidate of candidates) {
    const tried = await tryOne(read, candidate, at)
    if (tried instanceof Unavailable) unavailable = tried
    else if ('wrong' in tried) ({ wrong } = tried)
    else return tried
  }
  // The key may be one that could not be read: no answer would be true.
  if (unavailable !== undefined) throw unavailable
  return { wrong }
}

const singleUse = ({ secrets }: AssertionPorts, client: Client, { jti, until }: Tried): SingleUse | undefined =>
  jti === null ? undefined : { id: digestIn(secrets.hash(`assertion ${client.agent.id} ${jti}`)), until }

/**
 * The credentials that the assertion is verified for; the decision on the request checks their credential again. Throws
 * Unavailable where the keys of the client cannot be read.
 */
export const checkAssertion = async (
  ports: AssertionPorts,
  presented: PresentedAssertion,
  source: Source,
): Promise<OrRefusal<VerifiedCredentials>> => {
  const read = ports.assertions.read(presented.assertion)
  if ('wrong' in read) return refuseClient(presented, undefined, read.wrong)
  // What the assertion says counts as the client id, before anything of it is verified.
  const { sub } = read.claims
  const said = typeof sub === 'string' ? { ...presented, clientId: sub } : presented
  const named = await findNamed(ports, read)
  if ('wrong' in named) return refuseClient(said, undefined, named.wrong)
  const { clientId, kind, client, now } = named
  if (presented.isGrant === true && kind !== 'workload_identity') {
    return refuseClient(said, undefined, 'a client authenticates itself by client_assertion')
  }
  if (kind === 'private_key_jwt' && (presented.clientId ?? clientId) !== clientId) {
    return refuse('invalid_request', 'client_id is not the client that the assertion names.')
  }
  if (client === undefined) return refuseClient(said, undefined, 'sub is no client')
  if ((presented.clientId ?? clientId) !== clientId) {
    return refuseClient(said, client, 'client_id is not the client that the assertion names')
  }
  const tried = await tryAll(read, candidatesOf(client, named, now), { issuer: ports.profile.issuer, now, source })
  if ('wrong' in tried) return refuseClient(said, client, tried.wrong)
  const assertion = singleUse(ports, client, tried)
  const ofGrant = presented.isGrant === true ? { isGrant: true as const } : {}
  const verified = {
    kind: 'verified',
    by: 'assertion',
    clientId,
    credentialId: tried.credential.id,
    ...ofGrant,
  } as const
  return assertion === undefined ? verified : { ...verified, assertion }
}
