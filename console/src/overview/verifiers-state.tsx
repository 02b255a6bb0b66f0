// The verifiers that follow the revocation feed: how many are current, and those that are not, longest unheard of first.
import { useQuery } from '@tanstack/react-query'
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { VERIFIER_STATES } from '../../../api/values/verifiers.ts'
import type { ListVerifiersRecord } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { Link } from '../parts/link.tsx'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { liveChoice } from '../reading/live-choice.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'

const REFRESH_MS = 10_000
const LATE_SHOWN = 5

const Late = ({ verifiers }: { readonly verifiers: readonly ListVerifiersRecord[] }) => (
  <ul className="findings">
    {verifiers.map(({ api_key_id: key, name, state, behind, reported_at: at }) => (
      <li key={`${key} ${name}`}>
        <b>{name}</b> {state}
        <span className="quiet">
          {' '}
          {behind === null ? 'in another epoch' : behind > 0 && `${behind} behind`} last heard of <Time at={at} />
        </span>
      </li>
    ))}
  </ul>
)

const Summary = ({ all, isMore }: { readonly all: readonly ListVerifiersRecord[]; readonly isMore: boolean }) => {
  if (all.length === 0) return <p className="quiet">No verifier follows the revocation feed and says so.</p>
  const counts = VERIFIER_STATES.map(state => [state, all.filter(one => one.state === state).length] as const)
  const late = all.filter(({ state }) => state !== 'current').toSorted((a, b) => b.stale_seconds - a.stale_seconds)
  const text = counts.flatMap(([state, count]) => (count === 0 ? [] : [`${count} ${state}`])).join(', ')
  return (
    <>
      <p>
        {isMore && 'Of the first thousand: '}
        {text}. <Link to={addressOf('verifiers')}>All verifiers</Link>
      </p>
      {late.length > 0 && <Late verifiers={late.slice(0, LATE_SHOWN)} />}
    </>
  )
}

export const VerifiersState = () => {
  const query = useQuery({
    // Not below that of the list, whose pages the open row is found in.
    queryKey: ['verifiers-state'],
    queryFn: ({ signal }) =>
      readPage((cursor, aborted) =>
        administration.listVerifiers({ query: { cursor, limit: PAGE_RECORDS_MAX }, signal: aborted }),
      )(undefined, signal),
    refetchInterval: liveChoice.use() === 'live' && REFRESH_MS,
  })
  const { data, error } = query
  return (
    <section className="overview-part" aria-label="Verifiers">
      <h2>Verifiers</h2>
      <Waiting query={query} />
      {data !== undefined && error === null && <Summary all={data.data} isMore={data.next_cursor !== null} />}
    </section>
  )
}
