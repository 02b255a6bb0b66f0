// Says whether this process can serve: its store reads, and writes durably, in time; and whom it depends on besides.
import type { ProviderState } from '../ports/key-sets.ts'
import type { Ports } from '../ports/ports.ts'

type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string }

/** Ready, or the reason why not, in a sentence for an operator. */
export const checkHealth = async (ports: Pick<Ports, 'health'>): Promise<Readiness> => {
  const reason = await ports.health.check()
  return reason === null ? { ready: true } : { ready: false, reason }
}

type Components = {
  readonly readiness: Readiness
  readonly providers: readonly ProviderState[]
  /** Whether a restore suspended anything; false where the store cannot be read. */
  readonly isAnySuspended: boolean
}

/**
 * The same, the state of each identity provider, and whether something is suspended. That changes nothing about being ready: agents
 * get and verify tokens without any provider, and an outage of one must not take all replicas out of service.
 */
export const checkComponents = async (ports: Pick<Ports, 'health' | 'operators'>): Promise<Components> => {
  const [readiness, providers] = await Promise.all([checkHealth(ports), ports.operators.check()])
  return { readiness, providers, isAnySuspended: readiness.ready && (await ports.health.isAnySuspended()) }
}
