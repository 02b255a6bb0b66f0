// The blocked subjects of an issuer, page after page.
import { formatIssuerSubject } from '../../../api/values/subject.ts'
import type { ListSubjectsRecord } from '../../../packages/client/src/index.ts'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { Time } from '../parts/time.tsx'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { useList } from '../reading/use-list.ts'
import { addressOfSubject } from '../parts/subject-address.ts'
import { ActorName } from '../tokens/actor-name.tsx'

export const BlockedSubjects = ({ alias }: { readonly alias: string }) => {
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, readMore, readAgain } = useList<ListSubjectsRecord>({
    queryKey: ['subjects', alias],
    read: (cursor, signal) =>
      readPage((from: string | undefined, aborted) =>
        administration.listSubjects({ path: { alias }, query: { cursor: from }, signal: aborted }),
      )(cursor, signal),
    idOf: ({ sub }) => sub,
    isLive: false,
    refreshMs: undefined,
  })
  return (
    <section aria-label="Blocked subjects">
      <h3>Blocked subjects</h3>
      {error !== null && <Fault fault={error} onAgain={readAgain} />}
      {rows.length === 0 && !isPending && error === null && <p className="quiet">None.</p>}
      <ul className="peers">
        {rows.map(({ sub, blocked_at: at, blocked_by: actor }) => (
          <li key={sub}>
            <Link to={addressOfSubject(formatIssuerSubject({ issuer: alias, sub }))}>
              <code>{sub}</code>
            </Link>
            <span className="quiet">
              {at !== null && <Time at={at} />} by <ActorName actor={actor} />
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" aria-disabled={isFetchingNextPage} onClick={readMore}>
          Show more
        </button>
      )}
    </section>
  )
}
