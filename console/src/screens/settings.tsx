// What the service is: its version, what it publishes, where to read on; and for administrators each setting and where it comes from.
import { useQuery } from '@tanstack/react-query'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { type Member, Members } from '../parts/members.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { readMetadata } from '../reading/metadata.ts'
import { ACCESS } from '../../../api/values/access.ts'
import { useMay } from '../reading/role.ts'
import { baseUrl } from '../reading/service.ts'
import { useStatus } from '../reading/status.ts'
import { SettingList } from '../settings/setting-list.tsx'
import '../look/settings.css'

const Address = ({ of }: { readonly of: string }) => <a href={of}>{of}</a>

/** What it calls things stands in RFC 8414. */
const formatName = (name: string): string => {
  const words = name.replace(/_supported$/, '').replaceAll('_', ' ')
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`
}

const memberOf = ([name, value]: readonly [string, unknown]): Member => {
  if (Array.isArray(value)) return [formatName(name), value.join('\n')]
  const text = String(value)
  return [formatName(name), /^https?:/.test(text) ? <Address of={text} /> : text]
}

const Metadata = () => {
  const query = useQuery({ queryKey: ['metadata'], queryFn: ({ signal }) => readMetadata(signal) })
  const { data, error } = query
  if (error !== null || data === undefined) return <Waiting query={query} />
  return <Members of={Object.entries(data).map(memberOf)} />
}

const Version = () => {
  const { data, error, refetch } = useStatus()
  if (error !== null) return <Fault fault={error} onAgain={() => void refetch()} />
  return (
    <Members
      of={[
        ['Version', data?.version],
        ['Reached at', baseUrl],
        ['Audit entries not yet sealed', data?.audit_entries_unsealed],
        ['Revocations whose records follow', data?.revocations_open],
        ['Documentation', <Address key="docs" of={`${baseUrl}/docs`} />],
      ]}
    />
  )
}

export const Settings = () => (
  <>
    <h1>Settings</h1>
    <p className="quiet">
      They are set where the service is started, and read here. Version {useStatus().data?.version ?? '…'}.
    </p>
    {useMay(ACCESS.readSettings) && <SettingList />}
    <div className="sheets">
      <section className="sheet">
        <h2>Service</h2>
        <Version />
        <Command words={['mintmark', 'stats']} />
      </section>
      <section className="sheet wide">
        <h2>What it publishes</h2>
        <Metadata />
      </section>
    </div>
  </>
)
