// Records what the reader read, as settings that an administrator may see: no secret, and no credential in an address.
import { SECRET_SHOWN, type Setting, type SettingSource } from '../../../api/values/settings.ts'
import type { SettingEntry } from './settings/setting-entry.ts'
import { plainMeaning, settingEntries, type SecretFile, type Variable } from './settings/settings.ts'

export type Found = {
  readonly source: 'environment' | 'secret_file'
  readonly variable: Variable | SecretFile
  readonly text: string
}

type Read = {
  /** Undefined where the variable is not set. */
  readonly found: Found | undefined
  /** What is read where the variable is not set, as a variable would have it. */
  readonly fallback: string | undefined
}

// Of several hosts, which no URL has.
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i

/** An address without user name and password, and without the query and fragment of a web address, which may hold a key; another text as it is. */
export const withoutCredentials = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return text.replace(CREDENTIALS, '$1')
  const hasQuery = (url.search !== '' || url.hash !== '') && /^https?:$/.test(url.protocol)
  if (url.username === '' && url.password === '' && !hasQuery) return text
  url.username = ''
  url.password = ''
  return hasQuery ? `${url.origin}${url.pathname}?…` : url.href
}

type Value = Pick<Setting, 'value' | 'default' | 'source' | 'variable'>

const shownOf = (text: string | undefined): string | null => (text ? withoutCredentials(text) : null)

const notRead = ({ fallback }: SettingEntry): Value => ({
  value: null,
  default: shownOf(fallback),
  source: 'not_read',
  variable: null,
})

const valueOf = ({ found, fallback }: Read, isSecret: boolean): Value => {
  const secret = found === undefined ? SECRET_SHOWN.unset : SECRET_SHOWN.set
  return {
    value: isSecret ? secret : shownOf(found?.text ?? fallback),
    default: shownOf(fallback),
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
      settingEntries().map(([name, entry]) => {
        const { group, parse, unit = null, example = null, isSecret = false } = entry
        const read = reads.get(name)
        const value = read === undefined ? notRead(entry) : valueOf(read, isSecret)
        return {
          name,
          group,
          ...value,
          isSecret,
          unit,
          bounds: parse.bounds ?? null,
          example,
          meaning: plainMeaning(entry),
        }
      }),
  }
}
