// Whether a subject of an issuer is blocked, since when and by whom, with the acts that change it.
import { useQuery } from '@tanstack/react-query'
import { ACCESS } from '../../../api/values/access.ts'
import { formatIssuerSubject, type IssuerSubject } from '../../../api/values/subject.ts'
import { auditOf } from '../acts/act-of-end.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { isNotFound } from '../reading/not-found.ts'
import { readPage } from '../reading/read-page.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { ActorName } from '../tokens/actor-name.tsx'
import { BlockSubject, UnblockSubject } from './subject-acts.tsx'

/** Null where it is not blocked: only those that are have a record. */
const readBlocked = async ({ issuer, sub }: IssuerSubject, signal: AbortSignal) => {
  const page = await readPage((_, aborted) =>
    administration.listSubjects({ path: { alias: issuer }, query: { sub }, signal: aborted }),
  )(undefined, signal)
  return page.data[0] ?? null
}

export const SubjectState = ({ subject }: { readonly subject: IssuerSubject }) => {
  const name = formatIssuerSubject(subject)
  const mayAudit = useMay(ACCESS.readAudit)
  const query = useQuery({
    queryKey: ['subject', name],
    queryFn: ({ signal }) => readBlocked(subject, signal),
  })
  const { data: blocked, error } = query
  const isUnknown = isNotFound(error)
  return (
    <section className="sheet wide" aria-label="Subject">
      <h2>
        <code>{name}</code>
      </h2>
      {isUnknown ? (
        <p role="status">
          No issuer is trusted by the name <code>{subject.issuer}</code>: it never was, or it was deleted.
        </p>
      ) : (
        <Waiting query={query} />
      )}
      {blocked !== undefined && !isUnknown && (
        <>
          <p role="status" className={blocked === null ? 'state active' : 'state ended'}>
            {blocked === null ? 'not blocked' : 'blocked'}
          </p>
          <div className="acts">
            {blocked === null ? <BlockSubject subject={subject} /> : <UnblockSubject subject={subject} />}
          </div>
          {blocked !== null && (
            <Members
              of={[
                ['Since', blocked.blocked_at && <Instant key="since" at={blocked.blocked_at} />],
                ['By', <ActorName key="by" actor={blocked.blocked_by} />],
                ['Note', blocked.note],
              ]}
            />
          )}
        </>
      )}
      <div className="acts">
        {!isUnknown && (
          <Link to={addressOf('issuers', new URLSearchParams({ [OPEN]: subject.issuer }))}>Its issuer</Link>
        )}
        {mayAudit && <Link to={auditOf(name)}>What was done to it</Link>}
      </div>
      {!isUnknown && <Command words={['mintmark', 'subject', 'list', subject.issuer, '--sub', subject.sub]} />}
    </section>
  )
}
