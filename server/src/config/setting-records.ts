// Records what the reader read, as settings that an administrator may see: no secret, and no credential in an address.
import { SECRET_SHOWN, type Setting, type SettingSource } from '../../../api/values/settings.ts'
import { settingEntries } from './variables.ts'

export type Found = { readonly source: 'environment' | 'secret_file'; readonly variable: string; readonly text: string }

type Read = {
  /** Undefined where the variable is not set. */
  readonly found: Found | undefined
  /** The value in effect where the variable is not set. */
  readonly fallback: unknown
  readonly bounds: string | undefined
}

// Of several hosts, which no URL has.
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i

/** An address without user name and password, and without the query of a web address, which may hold a key; another text as it is. */
export const withoutCredentials = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return text.replace(CREDENTIALS, '$1')
  const hasQuery = url.search !== '' && /^https?:$/.test(url.protocol)
  if (url.username === '' && url.password === '' && !hasQuery) return text
  url.username = ''
  url.password = ''
  return hasQuery ? `${url.origin}${url.pathname}?…` : url.href
}

/** A value of a default, as a variable would have it; null: none. */
const formatDefault = (value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(',')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

type Value = Pick<Setting, 'value' | 'source' | 'variable'>

const NOT_READ: Value = { value: null, source: 'not_read', variable: null }

const valueOf = ({ found, fallback }: Read, isSecret: boolean): Value => {
  const text = found?.text ?? formatDefault(fallback)
  const secret = text === null ? SECRET_SHOWN.unset : SECRET_SHOWN.set
  return {
    value: isSecret ? secret : text && withoutCredentials(text),
    source: found?.source ?? 'default',
    variable: found?.variable ?? null,
  }
}

/** The settings with those that `mintmark dev` chose in the place of what was not read. */
export const chooseForDevelopment = (
  settings: readonly Setting[],
  chosen: Readonly<Record<string, string>>,
): readonly Setting[] => {
  const source: SettingSource = 'development'
  return settings.map(setting => {
    const value = chosen[setting.name]
    return value === undefined ? setting : { ...setting, value, source, variable: null }
  })
}

export const makeSettingRecords = () => {
  const reads = new Map<string, Read>()
  return {
    /** Records what was read of a variable; a second record replaces the first. */
    add: (name: string, read: Read): void => void reads.set(name, read),
    settings: (): readonly Setting[] =>
      settingEntries().map(([name, { group, unit = null, isSecret = false, meaning }]) => {
        const read = reads.get(name)
        const value = read === undefined ? NOT_READ : valueOf(read, isSecret)
        return { name, group, ...value, isSecret, unit, bounds: read?.bounds ?? null, meaning }
      }),
  }
}
