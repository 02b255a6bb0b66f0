// The open entry of the audit log, with links to everything that belongs to its act.
import type { ReactNode } from 'react'
import type { AuditRecord } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { Panel } from '../parts/panel.tsx'
import { useOpenRow } from '../reading/open-row.ts'
import { ActorName } from '../tokens/actor-name.tsx'
import { addressOfActed } from './subject-screen.ts'

const auditOf = (query: Readonly<Record<string, string>>): string => addressOf('audit', new URLSearchParams(query))

const Related = ({ entry }: { readonly entry: AuditRecord }) => {
  const { actor, kind, subject, request_id: request } = entry
  const shown = subject === null ? undefined : addressOfActed(kind, subject)
  const links: readonly (readonly [string, string])[] = [
    ...(shown === undefined ? [] : [['The subject', shown] as const]),
    ...(request === null ? [] : [['Everything by this request', auditOf({ request_id: request })] as const]),
    ...(subject === null ? [] : [['Everything done to this subject', auditOf({ subject })] as const]),
    ...(actor.iss !== undefined && actor.sub !== undefined
      ? [['Everything by this operator', auditOf({ actor_iss: actor.iss, actor_sub: actor.sub })] as const]
      : []),
    ...(actor.id === undefined
      ? []
      : [['Everything by this actor', auditOf({ actor_type: actor.type, actor_id: actor.id })] as const]),
  ]
  if (links.length === 0) return null
  return (
    <section>
      <h3>Related</h3>
      <ul className="peers">
        {links.map(([title, to]) => (
          <li key={title}>
            <Link to={to}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const code = (text: string | null): ReactNode => (text === null ? null : <code>{text}</code>)

const commandOf = ({ subject, request_id: request }: AuditRecord): readonly string[] => {
  const audit = ['mintmark', 'audit', 'list']
  if (subject !== null) return [...audit, '--subject', subject]
  return request === null ? audit : [...audit, '--request-id', request]
}

export const EntryPanel = ({ n }: { readonly n: string }) => {
  const entry = useOpenRow<AuditRecord>('audit', row => String(row.n) === n)
  return (
    <Panel title={`Entry ${n}`}>
      {entry === undefined ? (
        <p className="quiet">Scroll to where it stands.</p>
      ) : (
        <>
          <Members
            of={[
              ['Act', code(entry.kind)],
              ['When', <Instant key="at" at={entry.at} />],
              ['By', <ActorName key="by" actor={entry.actor} />],
              ['From', entry.source],
              ['Request', code(entry.request_id)],
              ['Agent', entry.agent_name === null ? null : <bdi key="agent">{entry.agent_name}</bdi>],
              ['Subject', code(entry.subject)],
              ['Note', entry.note],
            ]}
          />
          <pre tabIndex={0}>{JSON.stringify(entry.detail, null, 2)}</pre>
          <Related entry={entry} />
          <Command words={commandOf(entry)} />
        </>
      )}
    </Panel>
  )
}
