// Wires the verification of JWTs of other issuers: one thread fetches their keys, every serving thread verifies.
import { lookup } from 'node:dns'
import type { ServiceConfig } from '../config/config.ts'
import type { KeySets, Operators } from '../ports/key-sets.ts'
import { type Metrics, NO_METRICS } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'
import type { Timing } from '../ports/timing.ts'
import { type Clocks, MACHINE } from '../store/clocks.ts'

type Parts = { readonly timing: Timing; readonly clock?: Clocks; readonly metrics?: Metrics }

/** Opens the key sets in the main thread, which alone fetches them. */
export const openKeySets = async (
  config: Pick<ServiceConfig, 'clientKeyRanges'>,
  { timing, clock = MACHINE, metrics = NO_METRICS }: Parts,
): Promise<KeySets> => {
  const [{ makeKeySets }, { makeGuardedFetch }, { makeNameLookups }] = await Promise.all([
    import('../keys/providers/key-sets.ts'),
    import('../keys/providers/guarded-fetch.ts'),
    import('../keys/providers/name-lookups.ts'),
  ])
  const lookUp = makeNameLookups({ resolve: lookup, monotonicNow: clock.monotonic, timing })
  const guarded = makeGuardedFetch(config.clientKeyRanges, lookUp)
  const fetches = { provider: fetch, client: guarded, issuer: guarded }
  return makeKeySets({ fetches, monotonicNow: clock.monotonic, timing, metrics })
}

type ForeignJwts = Pick<Ports, 'assertions' | 'foreignIssuers' | 'operators'> & {
  /** Returns the providers whose operators are recognized. */
  readonly providers: () => ServiceConfig['identityProviders']
  /** The metrics in which they record. */
  readonly metrics: Metrics
  /** Recognizes the operators of these providers alone from now on. Throws if one is configured insecurely. */
  readonly replaceProviders: (providers: ServiceConfig['identityProviders']) => void
}

/** Makes what verifies them in a serving thread. Throws if an identity provider is configured insecurely. */
export const foreignJwtsOf = async (
  { identityProviders, baseUrl: ownIssuer }: Pick<ServiceConfig, 'identityProviders' | 'baseUrl'>,
  { keySets, timing, clock = MACHINE, metrics = NO_METRICS }: Parts & { readonly keySets: KeySets },
): Promise<ForeignJwts> => {
  const [{ makeClientAssertions }, { makeForeignIssuers }, { makeOperators }] = await Promise.all([
    import('../keys/clients/client-assertions.ts'),
    import('../keys/providers/foreign-issuers.ts'),
    import('../keys/providers/identity-providers.ts'),
  ])
  const { wall: now, monotonic: monotonicNow } = clock
  const operatorsOf = (providers: ServiceConfig['identityProviders']): Operators =>
    makeOperators({ providers, ownIssuer, keySets, now, monotonicNow, timing, metrics })
  let [providers, operators] = [identityProviders, operatorsOf(identityProviders)]
  return {
    metrics,
    assertions: makeClientAssertions({ keySets, monotonicNow, timing, metrics }),
    foreignIssuers: makeForeignIssuers({ keySets, monotonicNow, timing, metrics }),
    operators: {
      verify: (...given) => operators.verify(...given),
      check: () => operators.check(),
      audiences: () => operators.audiences(),
    },
    providers: () => providers,
    replaceProviders: next => {
      operators = operatorsOf(next)
      providers = next
    },
  }
}
