// Says whether this process can serve: its store reads, and writes durably, in time; and whom it depends on besides.
import type { IssuerState } from '../ports/issuers.ts'
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
  /** None where the store cannot be read. */
  readonly issuers: readonly IssuerState[]
  /** Whether a restore suspended anything; false where the store cannot be read. */
  readonly isAnySuspended: boolean
}

type Checked = Pick<Ports, 'health' | 'operators' | 'issuers' | 'foreignIssuers'>

const checkIssuers = async ({ issuers, foreignIssuers }: Checked): Promise<readonly IssuerState[]> =>
  foreignIssuers.check((await issuers.trusted()).issuers)

/**
 * The same, the state of each identity provider and trusted issuer, and whether something is suspended. That changes nothing about
 * being ready: agents get and verify tokens without any provider, and an outage of one must not take all replicas out of service.
 */
export const checkComponents = async (ports: Checked): Promise<Components> => {
  const [readiness, providers] = await Promise.all([checkHealth(ports), ports.operators.check()])
  if (!readiness.ready) return { readiness, providers, issuers: [], isAnySuspended: false }
  const [issuers, isAnySuspended] = await Promise.all([checkIssuers(ports), ports.health.isAnySuspended()])
  return { readiness, providers, issuers, isAnySuspended }
}
