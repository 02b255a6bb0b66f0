// What ends by itself within days, and stops an agent or a resource server with it: credentials and API keys.
import { useQuery } from '@tanstack/react-query'
import type { ListExpiringAnswer } from '../../../packages/client/src/index.ts'
import { addressOf } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import { Time } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
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
  const query = useQuery({
    queryKey: ['expiring'],
    queryFn: ({ signal }) => administration.listExpiring({ signal }),
    refetchInterval: REFRESH_MS,
  })
  const { data } = query
  return (
    <section className="overview-part" aria-label="Expire within a week">
      <h2>Expire within a week</h2>
      <Waiting query={query} />
      {data?.data.length === 0 && <p className="quiet">No credential and no API key.</p>}
      {data !== undefined && data.data.length > 0 && (
        <>
          <List all={data.data} />
          <Command words={['mintmark', 'stats', '--expiring']} />
        </>
      )}
    </section>
  )
}
