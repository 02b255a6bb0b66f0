// Every setting of the service, grouped by subject and searched as the address says.
import { useQuery } from '@tanstack/react-query'
import type { ListSettingsAnswer } from '../../../packages/client/src/index.ts'
import {
  SECRET_SHOWN,
  SETTING_GROUP_NAMES,
  SETTING_GROUPS,
  type SettingGroup,
  type SettingSource,
} from '../../../api/values/settings.ts'
import { changeQuery, useAddress } from '../address.ts'
import { Command } from '../parts/command.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { administration } from '../reading/service.ts'
import { isMatch } from './match-setting.ts'
import { Meaning } from './meaning.tsx'

type Setting = ListSettingsAnswer['data'][number]

const SOURCES: Readonly<Record<SettingSource, string>> = {
  default: 'default',
  environment: 'environment',
  secret_file: 'file',
  configuration_file: 'configuration file',
  development: 'mintmark dev',
  not_read: 'not read',
}

const Value = ({ value, secret }: Pick<Setting, 'value' | 'secret'>) => {
  if (value === null) return <span className="quiet">none</span>
  if (!secret) return <code>{value}</code>
  return value === SECRET_SHOWN.set ? (
    <span className="state active">{value}</span>
  ) : (
    <span className="quiet">{value}</span>
  )
}

const Source = ({ source, variable, name }: Pick<Setting, 'source' | 'variable' | 'name'>) => (
  <p className="quiet">
    <span className={`source ${source}`}>{SOURCES[source]}</span>
    {variable !== null && variable !== name && (
      <>
        {' '}
        by <code>{variable}</code>
      </>
    )}
  </p>
)

const SettingRow = ({ setting }: { readonly setting: Setting }) => {
  const { name, value, secret, source, variable, unit, bounds, example, meaning } = setting
  const isOther = setting.default !== null && setting.default !== value
  return (
    <li className={`setting ${source}`}>
      <div>
        <h3>
          <code>{name}</code>
        </h3>
        <p className="quiet">
          <Meaning text={meaning} />
        </p>
      </div>
      <div>
        <p>
          <Value value={value} secret={secret} /> {value !== null && unit !== null && unit}
        </p>
        <Source source={source} variable={variable} name={name} />
        {isOther && (
          <p className="quiet">
            by default <code>{setting.default}</code>
          </p>
        )}
        {bounds !== null && <p className="quiet">{bounds}</p>}
        {bounds === null && example !== null && example !== value && (
          <p className="quiet">
            such as <code>{example}</code>
          </p>
        )}
      </div>
    </li>
  )
}

const Group = ({ group, settings }: { readonly group: SettingGroup; readonly settings: readonly Setting[] }) => {
  const found = settings.filter(each => each.group === group)
  if (found.length === 0) return null
  return (
    <section className="sheet" aria-label={SETTING_GROUPS[group]}>
      <h2>{SETTING_GROUPS[group]}</h2>
      <ul className="settings">
        {found.map(each => (
          <SettingRow key={each.name} setting={each} />
        ))}
      </ul>
    </section>
  )
}

const Search = ({ text, isChanged }: { readonly text: string; readonly isChanged: boolean }) => (
  <div className="setting-search" role="search" aria-label="Settings">
    <input
      type="search"
      aria-label="Search settings"
      placeholder="Name, value or meaning"
      className="wide"
      autoComplete="off"
      spellCheck={false}
      maxLength={100}
      defaultValue={text}
      onChange={event => changeQuery('q', event.target.value.trim() || null, 'replace')}
    />
    <label>
      <input type="checkbox" checked={isChanged} onChange={() => changeQuery('changed', isChanged ? null : 'true')} />{' '}
      Only those that are set
    </label>
  </div>
)

export const SettingList = () => {
  const { query } = useAddress()
  const asked = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => administration.listSettings({ signal }),
  })
  const { data } = asked
  const [text, isChanged] = [query.get('q') ?? '', query.has('changed')]
  const found = data?.data.filter(setting => isMatch(setting, text, isChanged)) ?? []
  return (
    <>
      <Search text={text} isChanged={isChanged} />
      <Command words={['mintmark', 'settings']} />
      <Waiting query={asked} />
      {data !== undefined && (
        <p className="quiet" role="status">
          {found.length} of {data.data.length} settings
        </p>
      )}
      {SETTING_GROUP_NAMES.map(group => (
        <Group key={group} group={group} settings={found} />
      ))}
    </>
  )
}
