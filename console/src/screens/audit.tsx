// The audit log: who did what, newest first.
import type { AuditRecord } from '../../../packages/client/src/index.ts'
import { ACT_KINDS, ACTOR_TYPES } from '../../../api/values/audit.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import { EntryPanel } from '../audit/entry-panel.tsx'
import { Seals } from '../audit/seals.tsx'
import { subjectScreenOf } from '../audit/subject-screen.ts'
import { NamedAgent, ShortId } from '../parts/agent-name.tsx'
import type { Filter } from '../lists/chips.tsx'
import { Command } from '../parts/command.tsx'
import { FORMS } from '../lists/filter-forms.ts'
import { ListScreen } from '../lists/list-screen.tsx'
import type { Column } from '../lists/column.ts'
import { formatExact, Time } from '../parts/time.tsx'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { ActorName } from '../tokens/actor-name.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'kind', title: 'Act', hint: '', choices: ACT_KINDS },
  { name: 'subject', title: 'Subject', hint: 'agent by name; ALIAS:SUB; token, key by id', isAgent: 'maybe' },
  { name: 'actor_sub', title: 'Operator', hint: 'sub of an operator' },
  { name: 'actor_iss', title: 'Provider', hint: 'iss of the identity provider' },
  { name: 'actor_id', title: 'Actor', hint: 'id of a client, an API key or a user; alias of an issuer' },
  { name: 'actor_type', title: 'Kind of actor', hint: '', choices: ACTOR_TYPES },
  { name: 'request_id', title: 'Request', hint: 'id of a request' },
  { name: 'since', title: 'Since', hint: FORMS.time.example, form: 'time' },
  { name: 'before', title: 'Before', hint: FORMS.time.example, form: 'time' },
]

const Subject = ({ of: { kind, subject, agent_name: name } }: { readonly of: AuditRecord }) => {
  if (subject === null) return null
  if (subjectScreenOf(kind) === 'agents') return <NamedAgent id={subject} name={name} />
  return isUuid(subject) ? <ShortId id={subject} /> : <code title={subject}>{subject}</code>
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  {
    title: 'When',
    show: ({ at }) => (
      <>
        <Time at={at} /> <span className="quiet drops-2">{formatExact(at)}</span>
      </>
    ),
  },
  { title: 'Act', show: ({ kind }) => <code>{kind}</code> },
  { title: 'By', drops: 3, show: ({ actor }) => <ActorName actor={actor} /> },
  { title: 'Subject', show: entry => <Subject of={entry} /> },
  { title: 'Note', drops: 2, show: ({ note }) => note !== null && <span title={note}>{note}</span> },
]

export const Audit = () => (
  <ListScreen
    title="Audit"
    label="Entries of the audit log, newest first"
    filters={FILTERS}
    columns={COLUMNS}
    idOf={({ n }) => String(n)}
    isLive
    name="audit"
    read={query => readPage((cursor, signal) => administration.listAudit({ query: { ...query, cursor }, signal }))}
    panel={n => <EntryPanel key={n} n={n} />}
    empty={
      <>
        <p>No entry matches.</p>
        <Command words={['mintmark', 'audit', 'list']} />
      </>
    }
  >
    <Seals />
  </ListScreen>
)
