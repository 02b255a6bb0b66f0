// The trusted issuers: whose JWTs agents may exchange, and within which bounds.
import { useQuery } from '@tanstack/react-query'
import type { ShowIssuerAnswer } from '../../../packages/client/src/index.ts'
import { ACCESS } from '../../../api/values/access.ts'
import { ISSUERS_MAX } from '../../../api/values/issuers.ts'
import { addressOf } from '../address.ts'
import { BlockedSubjects } from '../issuers/blocked-subjects.tsx'
import { DeleteIssuer, DisableIssuer, EnableIssuer } from '../issuers/issuer-acts.tsx'
import { ChangeIssuer, CreateIssuer } from '../issuers/issuer-form.tsx'
import type { Column } from '../lists/column.ts'
import { ListScreen } from '../lists/list-screen.tsx'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { Panel } from '../parts/panel.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { readPage } from '../reading/read-page.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'

const stateOf = ({ disabled_at: disabled, suspended_at: suspended }: ShowIssuerAnswer): string => {
  if (disabled !== null) return 'stopped'
  return suspended === null ? 'trusted' : 'suspended'
}

const State = ({ of: issuer }: { readonly of: ShowIssuerAnswer }) =>
  stateOf(issuer) === 'trusted' ? <>trusted</> : <span className="state ended">{stateOf(issuer)}</span>

const requiredOf = ({ require: claims }: ShowIssuerAnswer, separator: string): string =>
  Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .join(separator)

const COLUMNS: readonly Column<ShowIssuerAnswer>[] = [
  { title: 'Alias', show: ({ alias }) => alias },
  { title: 'Issuer', show: ({ issuer }) => <span title={issuer}>{issuer}</span> },
  { title: 'Requires', drops: 3, show: issuer => requiredOf(issuer, ' ') },
  { title: 'JWTs', drops: 2, show: ({ token_types: types }) => types.join(' ') },
  { title: 'Scope', drops: 1, show: ({ scope }) => scope },
  { title: 'State', show: issuer => <State of={issuer} /> },
]

/** Two issuers of one tenant name each of its subjects twice: blocking one leaves the other. */
const Twins = ({ of: { alias, issuer, jwks_uri: jwksUri } }: { readonly of: ShowIssuerAnswer }) => {
  const { data } = useQuery({
    queryKey: ['issuers', 'twins'],
    // All of them: no more can be trusted than a page holds.
    queryFn: ({ signal }) =>
      readPage(() => administration.listIssuers({ query: { limit: ISSUERS_MAX }, signal }))(undefined, signal),
  })
  const twins = (data?.data ?? []).filter(
    one => one.alias !== alias && one.issuer !== issuer && jwksUri !== null && one.jwks_uri === jwksUri,
  )
  if (twins.length === 0) return null
  return (
    <p role="status" className="wrong">
      {twins.map(one => one.alias).join(', ')} has its keys at the same address. If they are one tenant, each of its
      subjects is two here, and blocking one leaves the other.
    </p>
  )
}

const membersOf = (issuer: ShowIssuerAnswer) =>
  [
    ['State', <State key="state" of={issuer} />],
    ['Issuer', <code key="issuer">{issuer.issuer}</code>],
    ['Subjects by', <code key="claim">{issuer.subject_claim}</code>],
    ['Requires', requiredOf(issuer, '\n')],
    ['JWTs', issuer.token_types.join('\n')],
    ['Clients', issuer.parties.length === 0 ? 'any' : issuer.parties.join('\n')],
    ['Scope at most', issuer.scope],
    ['Resources', issuer.resources.join('\n')],
    ['Lifetime at most', `${issuer.lifetime_seconds} s`],
    ['Keys', issuer.jwks_uri ?? 'as its metadata says'],
    ['Algorithms', issuer.algorithms.join(' ')],
    ['Managed by', issuer.managed_by ?? false],
    ['Trusted since', <Instant key="made" at={issuer.created_at} />],
    ['Stopped', issuer.disabled_at !== null && <Instant key="stopped" at={issuer.disabled_at} />],
    ['Suspended by a restore', issuer.suspended_at !== null && <Instant key="suspended" at={issuer.suspended_at} />],
  ] as const

const IssuerPanel = ({ alias }: { readonly alias: string }) => {
  const query = useQuery({
    queryKey: ['issuer', alias],
    queryFn: ({ signal }) => administration.showIssuer({ path: { alias }, signal }),
  })
  const { data } = query
  const mayAudit = useMay(ACCESS.readAudit)
  return (
    <Panel title={alias}>
      <Waiting query={query} />
      {data !== undefined && (
        <>
          <div className="acts">
            <ChangeIssuer issuer={data} />
            {data.disabled_at === null ? <DisableIssuer alias={alias} /> : <EnableIssuer alias={alias} />}
            <DeleteIssuer alias={alias} />
          </div>
          <Twins of={data} />
          <Members of={membersOf(data).filter(([, value]) => value !== false)} />
          <BlockedSubjects alias={alias} />
          {mayAudit && (
            <p className="acts">
              <Link to={addressOf('audit', new URLSearchParams({ subject: alias }))}>What was done to it</Link>
            </p>
          )}
          <Command words={['mintmark', 'issuer', 'show', alias]} />
        </>
      )}
    </Panel>
  )
}

export const Issuers = () => (
  <ListScreen
    title="Issuers"
    acts={<CreateIssuer />}
    label="Trusted issuers, by alias"
    columns={COLUMNS}
    idOf={({ alias }) => alias}
    name="issuers"
    read={() => readPage((cursor, signal) => administration.listIssuers({ query: { cursor }, signal }))}
    panel={alias => <IssuerPanel key={alias} alias={alias} />}
    empty={
      <>
        <p>No issuer is trusted.</p>
        <Command
          words={[
            'mintmark',
            'issuer',
            'create',
            '--alias',
            'ALIAS',
            '--issuer',
            'URL',
            '--type',
            'id_token',
            '--scope',
            'SCOPE',
          ]}
        />
      </>
    }
  />
)
