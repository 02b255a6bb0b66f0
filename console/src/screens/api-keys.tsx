// The API keys: which resource servers and tools may ask, and for what.
import { useQuery } from '@tanstack/react-query'
import type { ShowApiKeyAnswer } from '../../../packages/client/src/index.ts'
import { CreateApiKey, RevokeApiKey, RotateApiKey } from '../api-keys/key-acts.tsx'
import { ACCESS } from '../../../api/values/access.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Instant } from '../parts/instant.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { Link } from '../parts/link.tsx'
import { Members } from '../parts/members.tsx'
import { Panel } from '../parts/panel.tsx'
import type { Column } from '../lists/column.ts'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { readPage } from '../reading/read-page.ts'
import { useMay } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { serviceNow } from '../reading/service-clock.ts'

const stateOf = ({ revoked_at: revoked, suspended_at: suspended, expires_at: expires }: ShowApiKeyAnswer): string => {
  if (revoked !== null) return 'revoked'
  if (suspended !== null) return 'suspended'
  return expires !== null && Date.parse(expires) <= serviceNow() ? 'expired' : 'active'
}

const isMild = (permission: string): boolean => /:(read|introspect)$/.test(permission)

/** What changes something stands where it is not cut. */
const strongFirst = (permissions: readonly string[]): readonly string[] =>
  permissions.toSorted((a, b) => Number(isMild(a)) - Number(isMild(b)))

const State = ({ of: key }: { readonly of: ShowApiKeyAnswer }) =>
  stateOf(key) === 'active' ? <>active</> : <span className="state ended">{stateOf(key)}</span>

const COLUMNS: readonly Column<ShowApiKeyAnswer>[] = [
  { title: 'API key', show: ({ name }) => name },
  {
    title: 'Permissions',
    drops: 3,
    show: ({ permissions }) => <span title={permissions.join('\n')}>{strongFirst(permissions).join(' ')}</span>,
  },
  { title: 'Audiences', drops: 2, show: ({ audiences }) => audiences?.join(' ') ?? 'all' },
  { title: 'Last used', show: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
  { title: 'Expires', show: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
  { title: 'State', show: key => <State of={key} /> },
]

const KeyPanel = ({ id }: { readonly id: string }) => {
  const query = useQuery({
    queryKey: ['api-key', id],
    queryFn: ({ signal }) => administration.showApiKey({ path: { api_key_id: id }, signal }),
  })
  const { data } = query
  const mayAudit = useMay(ACCESS.readAudit)
  return (
    <Panel title={data?.name ?? 'API key'}>
      <Waiting query={query} />
      {data !== undefined && (
        <>
          {stateOf(data) === 'active' && (
            <div className="acts">
              <RotateApiKey apiKey={data} />
              <RevokeApiKey apiKey={data} />
            </div>
          )}
          <Members
            of={[
              ['State', <State key="state" of={data} />],
              ['API key', <code key="id">{data.api_key_id}</code>],
              ['Permissions', data.permissions.join('\n')],
              ['Audiences', data.audiences?.join('\n') ?? 'all'],
              ['Made', <Instant key="made" at={data.created_at} />],
              ['Last used', data.last_used_at === null ? 'never' : <Instant key="used" at={data.last_used_at} />],
              ['Expires', data.expires_at === null ? 'never' : <Instant key="expires" at={data.expires_at} />],
            ]}
          />
          {mayAudit && (
            <p className="acts">
              <Link to={addressOf('audit', new URLSearchParams({ actor_id: id }))}>What it did</Link>
              <Link to={addressOf('audit', new URLSearchParams({ subject: id }))}>What was done to it</Link>
            </p>
          )}
          <Command words={['mintmark', 'api-key', 'show', id]} />
        </>
      )}
    </Panel>
  )
}

export const ApiKeys = () => (
  <ListScreen
    title="API keys"
    acts={<CreateApiKey />}
    label="API keys, by id"
    columns={COLUMNS}
    idOf={({ api_key_id: id }) => id}
    name="api-keys"
    read={() => readPage((cursor, signal) => administration.listApiKeys({ query: { cursor }, signal }))}
    panel={id => <KeyPanel key={id} id={id} />}
    empty={
      <>
        <p>There is no API key.</p>
        <Command words={['mintmark', 'api-key', 'create', '--name', 'NAME', '--permission', 'tokens:introspect']} />
      </>
    }
  />
)
