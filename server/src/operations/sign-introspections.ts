// Says whether tokens are active in answers that are signed (RFC 9701), for all requests of a group at once: whoever
// asked can show one to others. An inactive token's answer is signed as any other.
import type { IntrospectionClaims } from '../domain/introspection.ts'
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import type { Ports } from '../ports.ts'
import { introspectEach, type IntrospectPorts, type IntrospectRequest } from './introspect-tokens.ts'

export type SignedIntrospection = { readonly jwt: string }

/** Answers each request of a group, in order; signed in one go, by the key that signs tokens now. */
export const signIntrospections = async (
  ports: IntrospectPorts & Pick<Ports, 'agents'>,
  requests: readonly IntrospectRequest[],
): Promise<readonly OrRefusal<SignedIntrospection>[]> => {
  const answers = await introspectEach(ports, requests, (token_introspection, { id }) => ({
    iss: ports.profile.issuer,
    aud: id,
    token_introspection,
  }))
  // The key of tokens and the store's clock: that of a view which is asked for no client.
  const { signingKey, now } = await ports.agents.viewForIssue([], 'cached')
  const iat = Math.floor(now / 1000)
  const claims = answers.flatMap((answer): readonly IntrospectionClaims[] =>
    isRefused(answer)
      ? []
      : [{ iss: answer.iss, aud: answer.aud, iat, token_introspection: answer.token_introspection }],
  )
  const signed = ports.codec.signIntrospections(claims, signingKey)
  let next = 0
  return answers.map(answer => {
    if (isRefused(answer)) return answer
    const jwt = signed[next++]
    if (jwt === undefined) throw new Error('The codec signed fewer answers than asked for.')
    return { jwt }
  })
}
