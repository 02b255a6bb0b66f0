// The verifiers that follow the revocation feed: those that were not heard of for the longest time first, and who holds which position.
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import type { ListVerifiersRecord } from '../../../packages/client/src/index.ts'
import { Command } from '../parts/command.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { Members } from '../parts/members.tsx'
import { Link } from '../parts/link.tsx'
import { OPEN, Panel } from '../parts/panel.tsx'
import { addressOf } from '../address.ts'
import { AgentName } from '../parts/agent-name.tsx'
import { ACCESS } from '../../../api/values/access.ts'
import { useMay } from '../reading/role.ts'
import { staleFirst } from '../verifiers/stale-first.ts'
import type { Column } from '../lists/column.ts'
import { Time } from '../parts/time.tsx'
import { useOpenRow } from '../reading/open-row.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'

const TONES: Readonly<Record<ListVerifiersRecord['state'], string>> = {
  silent: 'ended',
  behind: 'late',
  current: 'active',
}

const State = ({ state }: Pick<ListVerifiersRecord, 'state'>) => (
  <span className={`state ${TONES[state]}`}>{state}</span>
)

const COLUMNS: readonly Column<ListVerifiersRecord>[] = [
  { title: 'Verifier', show: ({ name }) => name },
  { title: 'State', show: ({ state }) => <State state={state} /> },
  { title: 'Behind', isNumber: true, show: ({ behind }) => behind ?? 'another epoch' },
  { title: 'Position', drops: 2, isNumber: true, show: ({ position }) => position },
  { title: 'Last heard of', show: ({ reported_at: at }) => <Time at={at} /> },
  { title: 'API key', drops: 3, show: ({ api_key_name: name }) => name },
  { title: 'Address', drops: 2, show: ({ address }) => address },
]

/** As often as the overview shows them. */
const REFRESH_MS = 10_000

/** Two API keys may each have a verifier of one name. */
const idOf = ({ api_key_id: key, name }: ListVerifiersRecord): string => `${key} ${name}`

/** Links to the API key for administrators, because only they see API keys. */
const ApiKey = ({ of: { api_key_id: id, api_key_name: name } }: { readonly of: ListVerifiersRecord }) =>
  useMay(ACCESS.writeKeys) ? (
    <Link to={addressOf('api-keys', new URLSearchParams({ [OPEN]: id }))}>{name}</Link>
  ) : (
    <>
      {name} <code>{id}</code>
    </>
  )

const Uses = ({ of: { uses } }: { readonly of: ListVerifiersRecord }) => (
  <ul className="peers">
    {uses.map(({ agent_id: id, count }) => (
      <li key={id}>
        {count} of{' '}
        <Link to={addressOf('agents', new URLSearchParams({ [OPEN]: id }))}>
          <AgentName id={id} />
        </Link>
      </li>
    ))}
  </ul>
)

const VerifierPanel = ({ id }: { readonly id: string }) => {
  const verifier = useOpenRow<ListVerifiersRecord>('verifiers', row => idOf(row) === id)
  return (
    <Panel title={verifier?.name ?? 'Verifier'}>
      {verifier !== undefined && (
        <Members
          of={[
            ['State', <State key="state" state={verifier.state} />],
            [
              'Position',
              verifier.behind === null
                ? `${verifier.position}, of another epoch`
                : `${verifier.position}, ${verifier.behind} behind`,
            ],
            ['Last heard of', <Time key="last" at={verifier.reported_at} />],
            ['Address', verifier.address],
            ['API key', <ApiKey key="key" of={verifier} />],
            ['Epoch', <code key="epoch">{verifier.epoch}</code>],
            ['First heard of', <Time key="first" at={verifier.first_reported_at} />],
            ['Uses since it started', verifier.uses.length === 0 ? null : <Uses key="uses" of={verifier} />],
          ]}
        />
      )}
      <Command words={['mintmark', 'verifier', 'list']} />
    </Panel>
  )
}

export const Verifiers = () => (
  <ListScreen
    title="Verifiers"
    label="Verifiers that follow the revocation feed, those that were not heard of for the longest time first"
    columns={COLUMNS}
    idOf={idOf}
    name="verifiers"
    refreshMs={REFRESH_MS}
    read={() => async (cursor, signal) => {
      const read = readPage((from: string | undefined, aborted) =>
        administration.listVerifiers({ query: { cursor: from, limit: PAGE_RECORDS_MAX }, signal: aborted }),
      )
      const page = await read(cursor, signal)
      return { ...page, data: staleFirst(page.data) }
    }}
    panel={id => <VerifierPanel key={id} id={id} />}
    empty={
      <>
        <p>
          No verifier follows the revocation feed and says so. A resource server that introspects refuses an ended token
          at once; one that verifies by itself accepts it until it expires.
        </p>
        <p>The package @mintmark/verify follows it; docs/start/get-mintmark.md in the repository says how to get it.</p>
      </>
    }
  />
)
