// What happened to one agent over time, newest first: what was done to it, what it got and lost, who asked, what was refused.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord, AuditRecord, ListRefusalsRecord } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { formatBoth } from '../charts/point-time.ts'
import { REFRESH_MS, useSeries, useWindow } from '../charts/use-series.ts'
import { formatCount, formatNumber } from '../parts/format-number.ts'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { liveChoice } from '../reading/live-choice.ts'
import { readPage } from '../reading/read-page.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { auditOf } from '../acts/act-of-end.ts'
import { ActorName } from '../tokens/actor-name.tsx'
import { formatReason } from '../tokens/describe-end.ts'
import { useCredentials } from './credentials.tsx'
import { type Slot, slotsOf } from './happenings.ts'

type TimeLineProps = { readonly agent: Pick<AgentRecord, 'agent_id' | 'client_id'> }

const SLOTS_SHOWN = 8
/** An agent has ten that are not revoked, at most. They are listed oldest first. */
const CREDENTIALS_READ = 20

const readActs = (subject: string, since: string, signal: AbortSignal) =>
  readPage<AuditRecord>((cursor, aborted) =>
    administration.listAudit({ query: { subject, since, cursor }, signal: aborted }),
  )(undefined, signal)

const readAttempts = (clientId: string, since: string, signal: AbortSignal) =>
  readPage<ListRefusalsRecord>((cursor, aborted) =>
    administration.listRefusals({ query: { client_id: clientId, since, cursor }, signal: aborted }),
  )(undefined, signal)

/** What the audit log says of it, and of its credentials; nothing to those who may not read it. */
const useAudited = ({ agent_id: id, client_id: clientId }: TimeLineProps['agent'], since: string | undefined) => {
  const mayAudit = useMay(ACCESS.readAudit)
  const credentials = useCredentials(id)
  const ids = credentials.data?.data.map(({ credential_id: one }) => one)
  const hasMore = credentials.data?.next_cursor !== null || (ids ?? []).length > CREDENTIALS_READ
  const audited = useQuery({
    queryKey: ['happened', id, since, ids, hasMore],
    queryFn: async ({ signal }) => {
      if (since === undefined || ids === undefined || !mayAudit) return { acts: [], attempts: [], isCut: false }
      const subjects = [id, ...ids.slice(-CREDENTIALS_READ)]
      const acts = await Promise.all(subjects.map(subject => readActs(subject, since, signal)))
      const attempts = await readAttempts(clientId, since, signal)
      return {
        acts: acts.flatMap(({ data }) => data).toSorted((a, b) => b.n - a.n),
        attempts: attempts.data,
        isCut: hasMore || [...acts, attempts].some(({ next_cursor: next }) => next !== null),
      }
    },
    enabled: since !== undefined && ids !== undefined,
    refetchInterval: liveChoice.use() === 'live' && REFRESH_MS,
    placeholderData: before => before,
  })
  return { credentials, audited }
}

const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

type LineProps = { readonly slot: Slot; readonly id: string }

/** What it got, and what ended of it, with the lists of those tokens that there are. */
const Tokens = ({ slot: { point, until }, id }: LineProps) => {
  const listOf = (
    screen: string,
    from: string,
    before: string,
    more: Readonly<Record<string, string>> = {},
  ): string => {
    const within = { [from]: point.from, ...(until !== null && { [before]: until }) }
    return addressOf(screen, new URLSearchParams({ agent_id: id, ...within, ...more }))
  }
  return (
    <>
      {point.issued > 0 && (
        <li>
          {counted(point.issued, 'token', 'tokens')} issued,{' '}
          <Link to={listOf('tokens', 'issued_after', 'issued_before')}>those still live</Link>
        </li>
      )}
      {point.ended.map(({ reason, ...count }) => (
        <li key={reason}>
          <Link to={listOf('history', 'ended_after', 'ended_before', { termination_reason: reason })}>
            {formatCount(count)} ended
          </Link>
          : {formatReason(reason)}
        </li>
      ))}
    </>
  )
}

const Uses = ({ slot: { point } }: Pick<LineProps, 'slot'>) => {
  const asked = point.active + point.inactive
  if (asked === 0) return null
  return (
    <li>
      {counted(asked, 'introspection', 'introspections')}
      {point.inactive > 0 && `, ${formatNumber(point.inactive)} of them answered with inactive`}
    </li>
  )
}

const Refusals = ({ slot: { point, refused, attempts } }: Pick<LineProps, 'slot'>) => (
  <>
    {point.refused > 0 && <li>{counted(point.refused, 'request', 'requests')} refused</li>}
    {refused.map(({ reason, last_at: at }) => (
      <li key={reason}>
        Refused last with <code>{reason}</code> <Time at={at} />
      </li>
    ))}
    {attempts.map(({ minute, way, source, count }) => (
      <li key={`${minute} ${way} ${source}`}>
        {way === 'limit' ? 'Beyond a limit of it' : 'Authentication refused'}: {formatNumber(count)}{' '}
        {source !== null && `from ${source}`}
      </li>
    ))}
  </>
)

const Acts = ({ slot: { acts } }: Pick<LineProps, 'slot'>) => (
  <>
    {acts.map(({ n, at, kind, actor, note }) => (
      <li key={n} className="act">
        <Link to={addressOf('audit', new URLSearchParams({ [OPEN]: String(n) }))}>
          <code>{kind}</code>
        </Link>{' '}
        by <ActorName actor={actor} /> <Time at={at} />
        {note !== null && <q>{note}</q>}
      </li>
    ))}
  </>
)

const Lines = ({ slots, id }: { readonly slots: readonly Slot[]; readonly id: string }) => (
  <ol className="happenings">
    {slots.map(slot => (
      <li key={slot.point.from}>
        <time dateTime={slot.point.from}>{formatBoth(slot.point.from)}</time>
        <ul>
          <Acts slot={slot} />
          <Tokens slot={slot} id={id} />
          <Uses slot={slot} />
          <Refusals slot={slot} />
        </ul>
      </li>
    ))}
  </ol>
)

const TITLES = { '1h': 'the last hour, by the minute', '24h': 'the last day, by the hour' } as const

export const TimeLine = ({ agent }: TimeLineProps) => {
  const { agent_id: id } = agent
  const [isWhole, setWhole] = useState(false)
  const mayAudit = useMay(ACCESS.readAudit)
  const over = useWindow()
  const series = useSeries(over, id)
  // Those of the other window say nothing of this one.
  const points = series.isPlaceholderData ? undefined : series.data?.data
  const { credentials, audited } = useAudited(agent, points?.[0]?.from)
  const refused = useQuery({
    queryKey: ['usage', 'refusals', over, id],
    queryFn: ({ signal }) => administration.listRefusedRequests({ query: { over, agent_id: id }, signal }),
    refetchInterval: liveChoice.use() === 'live' && REFRESH_MS,
    placeholderData: before => before,
  })
  const parts = [{ ...series, data: points }, credentials, audited, refused]
  const missing = parts.find(({ data, error }) => data === undefined || error !== null)
  const slots =
    points === undefined || audited.data === undefined || refused.data === undefined
      ? undefined
      : slotsOf({ points, ...audited.data, refused: refused.data.data })
  return (
    <section aria-label="Time line">
      <h3>Time line</h3>
      <p className="quiet">What happened in {TITLES[over]}.</p>
      {missing !== undefined && <Waiting query={missing} />}
      {slots?.length === 0 && <p>Nothing.</p>}
      {slots !== undefined && slots.length > 0 && (
        <Lines slots={isWhole ? slots : slots.slice(0, SLOTS_SHOWN)} id={id} />
      )}
      {slots !== undefined && slots.length > SLOTS_SHOWN && !isWhole && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {slots.length}
        </button>
      )}
      {audited.data?.isCut === true && <p className="quiet">More was done to it than is shown.</p>}
      {mayAudit && <Link to={auditOf(id)}>All that was done to it</Link>}
    </section>
  )
}
