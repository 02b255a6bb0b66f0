// What the process counts, as OpenMetrics text: never an id, an address or a name.
import type { RefusalCode } from '../../verify/src/refusals.ts'
import type { Status } from '../../verify/src/verifier.ts'

type Outcome = 'accepted' | 'unauthorized' | 'forbidden' | 'unavailable' | 'failed'

/** By the status of the answer. */
const OUTCOMES: Readonly<Record<number, Outcome>> = {
  200: 'accepted',
  401: 'unauthorized',
  403: 'forbidden',
  503: 'unavailable',
}

export type Cause = RefusalCode | 'bad_query'

export const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

const NAMED: readonly Outcome[] = ['accepted', 'unauthorized', 'forbidden', 'unavailable', 'failed']

const labeled = (name: string, label: string, counts: Iterable<readonly [string, number]>): readonly string[] =>
  [...counts].map(([value, count]) => `${name}_total{${label}="${value}"} ${count}`)

const add = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

export const makeMetrics = () => {
  const outcomes = new Map<Outcome, number>(NAMED.map(outcome => [outcome, 0]))
  const causes = new Map<Cause, number>()
  return {
    count: (status: number, cause: Cause | undefined): void => {
      add(outcomes, OUTCOMES[status] ?? 'failed')
      if (cause !== undefined) add(causes, cause)
    },
    /** `isReady` as `/readyz` says it. */
    format: ({ stalenessMs, position, failures }: Status, isReady: boolean): string => {
      const staleness = stalenessMs === undefined ? '+Inf' : String(stalenessMs / 1000)
      const lines = [
        '# TYPE mintmark_verify_checks counter',
        ...labeled('mintmark_verify_checks', 'outcome', outcomes),
        '# TYPE mintmark_verify_refusals counter',
        ...labeled('mintmark_verify_refusals', 'cause', causes),
        '# TYPE mintmark_verify_problems counter',
        `mintmark_verify_problems_total ${failures}`,
        '# TYPE mintmark_verify_ready gauge',
        `mintmark_verify_ready ${isReady ? 1 : 0}`,
        '# TYPE mintmark_verify_staleness_seconds gauge',
        '# UNIT mintmark_verify_staleness_seconds seconds',
        `mintmark_verify_staleness_seconds ${staleness}`,
        '# TYPE mintmark_verify_position gauge',
        ...(position === undefined ? [] : [`mintmark_verify_position ${position}`]),
      ]
      return `${lines.join('\n')}\n# EOF\n`
    },
  }
}

export type Metrics = ReturnType<typeof makeMetrics>
