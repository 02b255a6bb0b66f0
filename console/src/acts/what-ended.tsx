// What an act did, once it is answered: since when, how many tokens ended, and where both are kept.
import { useQuery } from '@tanstack/react-query'
import { ACCESS } from '../../../api/values/access.ts'
import { addressOf } from '../address.ts'
import { Link } from '../parts/link.tsx'
import { formatExact } from '../parts/time.tsx'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { auditAt, auditOf, historyWithin } from './act-of-end.ts'
import { closeAct, wasUnheard } from './open-act.ts'
import { type Ends, formatEnds } from './would-end.tsx'

type WhatEndedProps = {
  /** By the clock of the service; undefined where it is not known. */
  readonly since?: string
  /** What was counted last before. */
  readonly ends?: Ends | undefined
  /** The filters of the history that show what ended. */
  readonly history: Readonly<Record<string, string>>
  /** Where the act stands in the audit log, if not at that instant. */
  readonly audit?: string
}

const ActLink = ({ to }: { readonly to: string }) => (
  <Link to={to} onGo={closeAct}>
    The act in the audit log
  </Link>
)

/** For acts that end no token. */
export const TheAct = ({ subject }: { readonly subject: string }) =>
  useMay(ACCESS.readAudit) ? <ActLink to={auditOf(subject)} /> : null

/** The act found its work already done: by an earlier try that got no answer, or by another act. */
export const NothingChanged = () =>
  wasUnheard() ? (
    <p>It was so when it was asked for again: by the try of which nothing was heard, or by another act.</p>
  ) : (
    <p>This changed nothing, and its note is kept nowhere.</p>
  )

export const WhatEnded = ({ since, ends, history, audit = since && auditAt(since) }: WhatEndedProps) => (
  <>
    {since !== undefined && (
      <p>
        In force since <time dateTime={since}>{formatExact(since)}</time>.
      </p>
    )}
    {ends !== undefined && <p>Counted last: {formatEnds(ends)}. Those and any newer ones ended.</p>}
    <p className="acts">
      <Link to={addressOf('history', new URLSearchParams(history))} onGo={closeAct}>
        {since === undefined ? 'Which of its tokens ended' : 'What ended'}
      </Link>
      {useMay(ACCESS.readAudit) && audit !== undefined && <ActLink to={audit} />}
    </p>
  </>
)

type EndedByRequestProps = {
  readonly requestId: string | null
  readonly ends: Ends | undefined
  readonly agentId: string
  /** With what its tokens ended. */
  readonly reasons: readonly string[]
}

/** For an act on an agent whose answer does not say when it was: the audit log does. Without that only its own tokens are shown. */
export const EndedByRequest = ({ requestId, ends, agentId, reasons }: EndedByRequestProps) => {
  const mayRead = useMay(ACCESS.readAudit)
  const { data: since = null } = useQuery({
    queryKey: ['act', requestId],
    queryFn: async ({ signal }) => {
      const query = { request_id: requestId ?? '', subject: agentId, limit: 1 }
      for await (const { at } of administration.listAudit({ query, signal })) return at
      return null
    },
    enabled: requestId !== null && mayRead,
    retry: false,
  })
  return since === null ? (
    <WhatEnded
      ends={ends}
      history={{ agent_id: agentId, termination_reason: reasons.join(',') }}
      audit={auditOf(agentId)}
    />
  ) : (
    <WhatEnded since={since} ends={ends} history={historyWithin(since)} />
  )
}
