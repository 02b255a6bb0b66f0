// The checks that decide whether a token is active, in their order, each with its outcome.
import { isUuid } from '../../../api/values/uuid.ts'
import { ShortId } from '../parts/agent-name.tsx'
import { type Check, formatCheck } from './describe-check.ts'

const Evidence = ({ evidence: { distance, ended_seq: endedSeq, seq } }: Check) => {
  if (distance !== undefined) return <span className="quiet"> {distance} above</span>
  if (endedSeq === undefined || seq === undefined) return null
  return (
    <span className="quiet">
      {' '}
      its number {seq}, ended below {endedSeq}
    </span>
  )
}

const CheckLine = ({ check }: { readonly check: Check }) => {
  const isPassed = check.outcome === 'passed'
  const { id } = check.evidence
  return (
    <li className={isPassed ? 'passed' : 'failed'}>
      <span aria-hidden="true">{isPassed ? '✓' : '✗'}</span>
      <span>
        <span className="unseen">{isPassed ? 'Passed: ' : 'Failed: '}</span>
        {formatCheck(check)}
        {!isPassed && typeof id === 'string' && <> {isUuid(id) ? <ShortId id={id} /> : <code>{id}</code>}</>}
        <Evidence {...check} />
      </span>
    </li>
  )
}

export const Checks = ({ checks }: { readonly checks: readonly Check[] }) => (
  <section>
    <h3>What was checked</h3>
    <ol className="checks">
      {checks.map(check => (
        <CheckLine key={`${check.check} ${check.evidence.distance ?? ''}`} check={check} />
      ))}
    </ol>
  </section>
)
