// The order in which verifiers need somebody: silent ones, those that are behind, and the rest; in each those unheard of longest.
import type { ListVerifiersRecord } from '../../../packages/client/src/index.ts'

type Verifier = Pick<ListVerifiersRecord, 'state' | 'stale_seconds'>

const URGENCY: Readonly<Record<Verifier['state'], number>> = { silent: 0, behind: 1, current: 2 }

export const staleFirst = <One extends Verifier>(verifiers: readonly One[]): readonly One[] =>
  verifiers.toSorted((a, b) => URGENCY[a.state] - URGENCY[b.state] || b.stale_seconds - a.stale_seconds)
