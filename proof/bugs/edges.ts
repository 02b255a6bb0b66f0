// What lets a caller in where a rule is written for a second time: guards, proofs, clocks, and the sign-in to the console.
import type { SeededBug } from './seeded-bug.ts'

const OPTION_MEMBERS = 'packages/verify/src/wire/option-members.ts'
const TARGETS = 'packages/verify/test/adapters/targets.test.ts'
const RENEWAL = 'server/test/contract/console/session-renewal.test.ts'

export const EDGES: readonly SeededBug[] = [
  {
    name: 'misspelled-guard',
    bug: 'A member that no guard has is ignored, so a misspelled one asks for nothing.',
    breaks: 'A guard never accepts by accident',
    file: OPTION_MEMBERS,
    from: '  if (unknown !== undefined) {',
    to: '  if (unknown !== undefined && given === undefined) {',
    test: 'packages/verify/test/adapters/guards.test.ts',
    title: 'a guard that is not as it should be is a TypeError where the route is written',
  },
  {
    name: 'undefined-scopes',
    bug: 'Scopes that are there and undefined count as absent.',
    breaks: 'A guard never accepts by accident',
    file: OPTION_MEMBERS,
    from: '!(kind.isDefinite === true && name in given)',
    to: 'true',
    test: 'packages/verify/test/options.test.ts',
    title: 'verify refuses with 500, and says why, where it is asked with',
  },
  {
    name: 'proof-of-resolved-path',
    bug: 'The address of a proof is the path as a URL parser resolves it, and the router takes it as it came.',
    breaks: 'A proof is for the address that it names: RFC 9449 section 4.3',
    file: 'packages/verify/src/adapters/request-address.ts',
    from: "return path ?? (ORIGIN.test(target) ? '/' : undefined)",
    to: "return path === undefined ? undefined : new URL(path, 'https://a').pathname",
    test: TARGETS,
    title: 'no proof is for a target with dot segments or a backslash',
  },
  {
    name: 'clock-set-ahead',
    bug: 'A clock of this machine that was set ahead makes live tokens expire.',
    breaks: 'A verifier that cannot know is stale: it asks, or refuses with 503',
    file: 'packages/verify/src/tokens/claims.ts',
    from: "return refusalAt(claims, earliestMs)?.refusal === refused?.refusal ? refused : 'unsure'",
    to: 'return refused ?? refusalAt(claims, earliestMs)',
    test: 'packages/verify/test/staleness.test.ts',
    title: 'a clock of the verifier that is set ahead makes no token expire',
  },
  {
    name: 'proofs-by-key',
    bug: 'Proofs are counted by key, so one client with many keys fills the room of all others.',
    breaks: 'No caller affects others',
    file: 'packages/verify/src/proofs/replays.ts',
    from: '    counts.set(proof.clientId, (counts.get(proof.clientId) ?? 0) + 1)',
    to: '    counts.set(proof.jkt, (counts.get(proof.jkt) ?? 0) + 1)',
    test: 'packages/verify/test/proofs.test.ts',
    title: 'the memory of proofs is bounded in all and for each client, whatever its keys',
  },
  {
    name: 'state-without-end',
    bug: 'A state is never finished, so each made-up callback becomes a request with the client secret.',
    breaks: 'P8: strangers do not affect others',
    file: 'server/src/keys/providers/finished-sign-ins.ts',
    from: 'Atomics.exchange(marks, slot, mark) !== mark',
    to: 'Atomics.exchange(marks, slot, 0n) !== mark',
    test: 'server/test/contract/console/sign-in.test.ts',
    title: 'of 30 callbacks of a sign-in with made-up codes one asks the provider',
  },
  {
    name: 'outage-signs-out',
    bug: 'While the provider cannot be had, a session whose JWT has expired is over.',
    breaks: 'An outage ends no session',
    file: 'server/src/operations/authentication/authenticate-session.ts',
    from: '  if (isRefused(operator) && current.outage !== undefined) throw current.outage',
    to: '',
    test: RENEWAL,
    title: 'while the provider is out of reach each request of an expired JWT is 503',
  },
  {
    name: 'renewed-tokens-lost',
    bug: 'What a renewal got is lost where the store does not take it at once, and the refresh token is used up.',
    breaks: 'An outage ends no session',
    file: 'server/src/store/repositories/session-repository.ts',
    from: "void inBackground('renewed sessions', () => keepTrying(keep, timing), onFault)",
    to: 'return',
    test: 'server/test/store/repositories/session-repository.test.ts',
    title: 'what a renewal got is written until the store takes it',
  },
]
