// Says whether tokens are active in answers that are signed (RFC 9701), for all requests of a group at once: the
// caller can show one to others. An inactive token's answer is signed as any other.
import { atPlaces, oneByOne } from '../../domain/one-by-one.ts'
import { type IntrospectionClaims, membersOf } from '../../domain/ledger/introspection.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { introspectEach, type IntrospectPorts, type IntrospectRequest } from './introspect-tokens.ts'

type SignedIntrospection = { readonly jwt: string; readonly active: boolean }

type SignedClaims = { readonly active: boolean; readonly claims: IntrospectionClaims }

type SigningPorts = IntrospectPorts & Pick<Ports, 'agents'>

const signGroup = async (
  ports: SigningPorts,
  requests: readonly IntrospectRequest[],
): Promise<readonly OrRefusal<SignedIntrospection>[]> => {
  // The key of tokens and the store's clock: that of a view which is asked for no client. Read first, so that no answer
  // calls a token active at an `iat` by which it had ended.
  const { signingKey, now } = await ports.agents.viewForIssue([], 'cached')
  const iat = Math.floor(now / 1000)
  const iss = ports.profile.issuer
  const answers = await introspectEach(
    ports,
    requests,
    (introspection, { id }): SignedClaims => ({
      active: introspection.active,
      claims: { iss, aud: id, iat, token_introspection: membersOf(introspection) },
    }),
  )
  const claims = answers.flatMap(answer => (isRefused(answer) ? [] : [answer.claims]))
  const signed = atPlaces(answers, answer => !isRefused(answer), ports.codec.signIntrospections(claims, signingKey))
  return answers.map((answer, n) => {
    if (isRefused(answer)) return answer
    const jwt = signed[n]
    if (jwt === undefined) throw new Error('The codec signed fewer answers than asked for.')
    return { jwt, active: answer.active }
  })
}

/**
 * Answers each request of a group, in order; signed in one go, by the key that signs tokens now. An Error is the fault of
 * that request alone.
 */
export const signIntrospections = (
  ports: SigningPorts,
  requests: readonly IntrospectRequest[],
): Promise<readonly (OrRefusal<SignedIntrospection> | Error)[]> => oneByOne(requests, some => signGroup(ports, some))
