// Settings of a service as an administrator sees them: what they are about, and where their values come from.

/** What a setting is about, and the title of those. */
export const SETTING_GROUPS = {
  service: 'Service',
  store: 'Store',
  tokens: 'Tokens',
  keys: 'Keys',
  operators: 'Operators',
  clients: 'Clients',
  limits: 'Limits',
  telemetry: 'Logs, metrics and traces',
} as const

export type SettingGroup = keyof typeof SETTING_GROUPS

export const SETTING_GROUP_NAMES = Object.keys(SETTING_GROUPS) as readonly SettingGroup[] // of the table above

/**
 * `environment`: a variable; `secret_file`: a file that a variable NAME_FILE names; `configuration_file`: the one that
 * MINTMARK_CONFIG_FILE names; `development`: `mintmark dev` chose it; `not_read`: with the other settings as they are, nothing
 * reads it.
 */
export const SETTING_SOURCES = [
  'default',
  'environment',
  'secret_file',
  'configuration_file',
  'development',
  'not_read',
] as const

export type SettingSource = (typeof SETTING_SOURCES)[number]

export const SETTING_UNITS = ['seconds', 'days', 'bytes'] as const

export type SettingUnit = (typeof SETTING_UNITS)[number]

/** What is shown of a secret. */
export const SECRET_SHOWN = { set: 'set', unset: 'not set' } as const

export type Setting = {
  readonly name: string
  readonly group: SettingGroup
  /** In effect; of a secret only whether it is set; null: none. */
  readonly value: string | null
  readonly isSecret: boolean
  readonly source: SettingSource
  /** The variable that gives it; null where none does. */
  readonly variable: string | null
  readonly unit: SettingUnit | null
  /** Which values it may have, in words; null: no short list or range says it. */
  readonly bounds: string | null
  /** Where nothing sets it, as a variable would have it; null: none. */
  readonly default: string | null
  /** A value that it may have; null where bounds say enough. */
  readonly example: string | null
  readonly meaning: string
}
