// Wires the verification of JWTs of other issuers: one thread fetches their keys, every serving thread verifies.
import type { ServiceConfig } from '../config/config.ts'
import type { KeySets } from '../ports/key-sets.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'
import { monotonicMs } from '../store/monotonic.ts'

/** For the main thread, which alone fetches key sets. */
export const openKeySets = async (config: ServiceConfig, metrics: Metrics): Promise<KeySets> => {
  const [{ makeKeySets }, { makeGuardedFetch }] = await Promise.all([
    import('../keys/providers/key-sets.ts'),
    import('../keys/providers/guarded-fetch.ts'),
  ])
  const fetches = { provider: fetch, client: makeGuardedFetch(config.clientKeyRanges) }
  return makeKeySets({ fetches, monotonicNow: monotonicMs, metrics })
}

/** For each serving thread. Throws if an identity provider is configured insecurely. */
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
