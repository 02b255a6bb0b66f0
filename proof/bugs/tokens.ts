// What takes another text for a token, or says too much about one.
import type { SeededBug } from './seeded-bug.ts'

const OWN_CLAIMS = 'server/test/contract/clients/own-claims.test.ts'

export const TOKENS: readonly SeededBug[] = [
  {
    name: 'other-spellings-read',
    bug: 'A part of a JWS may be spelled in any way that decodes to the same bytes.',
    breaks: 'Trap 7: one token, one spelling',
    file: 'server/src/keys/tokens/token-codec.ts',
    from: `  return bytes.toString('base64url') === part ? bytes : undefined`,
    to: '  return bytes',
    test: 'server/test/keys/compact-jws.test.ts',
    title: 'a token spelled with',
  },
  {
    name: 'other-type-signed',
    bug: 'What a key signed under another typ is taken for a token.',
    breaks: 'Cross-JWT confusion: RFC 8725 section 3.11',
    file: 'server/src/keys/tokens/token-codec.ts',
    from: `  if (header !== encodedHeader(jwk, 'at+jwt') || decodeCanonical(payload) === undefined) return false`,
    to: '  if (decodeCanonical(payload) === undefined) return false',
    test: 'server/test/keys/token-codec.test.ts',
    title: 'what the key signed under another typ is not signed as a token, whatever it claims',
  },
  {
    name: 'dead-token-of-another',
    bug: 'A client learns that a token of another client has not ended yet by the refusal of one that has.',
    breaks: 'Trap 17: causes of inactivity are not revealed',
    file: 'server/src/operations/tokens/revoke-token.ts',
    from: `    return found.dead ? NOTHING_TO_DO : refuse('unauthorized_client', 'The token was issued to another client.')`,
    to: `    return refuse('unauthorized_client', 'The token was issued to another client.')`,
    test: 'server/test/contract/oauth/revoke-token.test.ts',
    title: `another client's live token: 400 unauthorized_client, and it stays active; an ended one: 200 {}`,
  },
  {
    name: 'answers-in-other-order',
    bug: 'Introspections of one group get the answers of one another.',
    breaks: 'P1: each request its own answer',
    file: 'server/src/operations/tokens/introspect-tokens.ts',
    from: '  const found = references.map((reference, n) => ({ reference, token: tokens[n] }))',
    to: '  const found = references.map((reference, n) => ({ reference, token: tokens[tokens.length - 1 - n] }))',
    test: 'server/test/contract/oauth/introspect-tokens.test.ts',
    title: 'what arrives in one turn of the event loop is answered each for its own token',
  },
  {
    name: 'scope-narrowed-silently',
    bug: 'A request for more scope than allowed gets what is allowed.',
    breaks: 'Refused, never narrowed',
    file: 'server/src/operations/tokens/grant-token.ts',
    from: '  return beyond === undefined ? { scope }',
    to: '  return beyond !== scope[0] ? { scope: scope.filter(item => firstScopeBeyond(agent.scopes, [item]) === undefined) }',
    test: 'server/test/contract/oauth/issue-tokens.test.ts',
    title: 'scope unknown, or beyond what the agent may have: 400, the whole request is refused, never narrowed',
  },
  {
    name: 'unknown-client-is-cheaper',
    bug: 'An unknown client is refused before its secret is hashed.',
    breaks: 'No oracle: unknown client and wrong secret cost the same',
    file: 'server/src/operations/authentication/recognize-client.ts',
    from: '  const matching = findMatching(ports, credentials, client?.credentials ?? [], now)',
    to: '  const matching = client === undefined ? undefined : findMatching(ports, credentials, client.credentials, now)',
    test: 'server/test/contract/oauth/issue-tokens-together.test.ts',
    title: 'an unknown client, a wrong secret and a disabled agent cost the same: hashes, comparisons and look-ups',
  },
  {
    name: 'reserved-claim-taken',
    bug: 'An own claim of an agent may be called as a claim of RFC 8693.',
    breaks: 'No own claim has a name to which an RFC gives a meaning',
    file: 'api/values/own-claims.ts',
    from: '  if (isReservedClaim(name)) return',
    to: "  if (name !== 'may_act' && isReservedClaim(name)) return",
    test: 'server/test/operations/own-claims.test.ts',
    title: 'no claim has a name to which ',
  },
  {
    name: 'claims-of-the-parent',
    bug: 'An exchanged token says the own claims of the token that it was got for.',
    breaks: 'An exchanged token has the own claims of the exchanging agent alone',
    file: 'server/src/operations/tokens/mint-tokens.ts',
    from: '  const own = Object.keys(agent.claims).length === 0 ? claims : { ...claims, own: agent.claims }\n',
    to: `  const said = ((globalThis as { said?: Map<unknown, object> }).said ??= new Map())
  const all = { ...said.get(grant.subject?.id), ...agent.claims }
  said.set(jti, all)
  const own = { ...claims, own: all }
`,
    test: OWN_CLAIMS,
    title: 'an exchanged token says those of the agent that exchanges alone',
  },
  {
    name: 'unlisted-claim-imported',
    bug: 'An import sets claims whose names MINTMARK_CLAIM_NAMES does not list.',
    breaks: 'An own claim is called by a URI, or by a listed name',
    file: 'server/src/operations/imports/import-clients.ts',
    from: '      refuseClaimNames(profile.claimNames, change) ??\n',
    to: '',
    test: OWN_CLAIMS,
    title: 'what cannot be a claim is refused',
  },
]
