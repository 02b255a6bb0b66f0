// What ends by itself within days, and stops an agent or a resource server with it: credentials and API keys.
import { useQuery } from '@tanstack/react-query'
import type { ListExpiringAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Time } from '../parts/time.tsx'
import { useRole } from '../reading/role.ts'
import { administration } from '../reading/service.ts'

type One = ListExpiringAnswer['data'][number]

const REFRESH_MS = 60_000
const SHOWN = 8

const Whose = ({ one }: { readonly one: One }) => {
  const isAdmin = useRole() === 'admin'
  if (one.agent_id !== null) {
    const address = addressOf('agents', new URLSearchParams({ [OPEN]: one.agent_id }))
    return (
      <>
        credential of <Link to={address}>{one.agent_name}</Link>
      </>
    )
  }
  if (!isAdmin) return <>API key</>
  return <Link to={addressOf('api-keys', new URLSearchParams({ [OPEN]: one.id }))}>API key</Link>
}

const List = ({ all }: { readonly all: readonly One[] }) => (
  <ul className="findings">
    {all.slice(0, SHOWN).map(one => (
      <li key={one.id}>
        <b>{one.name}</b>{' '}
        <span className="quiet">
          <Whose one={one} /> expires <Time at={one.expires_at} />,{' '}
          {one.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={one.last_used_at} />
            </>
          )}
        </span>
      </li>
    ))}
    {all.length > SHOWN && <li className="quiet">and {all.length - SHOWN} more</li>}
  </ul>
)

export const Expiring = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ['expiring'],
    queryFn: ({ signal }) => administration.listExpiring({ signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="overview-part" aria-label="Expire within a week">
      <h2>Expire within a week</h2>
      {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
      {data === undefined
        ? error === null && <p className="quiet">Reading…</p>
        : data.data.length === 0 && <p className="quiet">No credential and no API key.</p>}
      {data !== undefined && data.data.length > 0 && (
        <>
          <List all={data.data} />
          <Command words={['mintmark', 'stats', '--expiring']} />
        </>
      )}
    </section>
  )
}
