// Wires what verifies the JWTs of others: who fetches the keys of their issuers, and who verifies with them.
import type { ServiceConfig } from '../config/config.ts'
import type { KeySets } from '../ports/key-sets.ts'
import type { Ports } from '../ports/ports.ts'
import { monotonicMs } from '../store/monotonic.ts'

/** For the main thread: it alone fetches, whichever threads verify. */
export const openKeySets = async (config: ServiceConfig): Promise<KeySets> => {
  const [{ makeKeySets }, { makeGuardedFetch }] = await Promise.all([
    import('../keys/providers/key-sets.ts'),
    import('../keys/providers/guarded-fetch.ts'),
  ])
  const fetches = { provider: fetch, client: makeGuardedFetch(config.clientKeyRanges) }
  return makeKeySets({ fetches, monotonicNow: monotonicMs })
}

/** For each thread that serves. Throws where the identity providers are not configured so that they can be trusted. */
export const verifiersOf = async (
  config: ServiceConfig,
  keySets: KeySets,
): Promise<Pick<Ports, 'assertions' | 'operators'>> => {
  const [{ makeClientAssertions }, { makeOperators }] = await Promise.all([
    import('../keys/clients/client-assertions.ts'),
    import('../keys/providers/identity-providers.ts'),
  ])
  const monotonicNow = monotonicMs
  const { identityProviders: providers, baseUrl: ownIssuer } = config
  return {
    assertions: makeClientAssertions({ keySets, monotonicNow }),
    operators: makeOperators({ providers, ownIssuer, keySets, now: Date.now, monotonicNow }),
  }
}
