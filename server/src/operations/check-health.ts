// Says whether this process can serve: its store reads, and writes durably, in time.
import type { Ports } from '../ports.ts'

type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string }

/** Ready, or the reason why not, in a sentence for an operator. */
export const checkHealth = async (ports: Pick<Ports, 'health'>): Promise<Readiness> => {
  const reason = await ports.health.check()
  return reason === null ? { ready: true } : { ready: false, reason }
}
