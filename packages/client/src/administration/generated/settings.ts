// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ListSettingsAnswer = {
  readonly data: readonly {
    /** A variable, or a member of the configuration file. */
    readonly name: string
    /** What it is about. */
    readonly group: 'service' | 'store' | 'tokens' | 'keys' | 'operators' | 'clients' | 'limits' | 'telemetry'
    /** In effect, as a variable would have it, without credentials in addresses; of a secret `set` or `not set`. Null: none. */
    readonly value: string | null
    readonly secret: boolean
    /** `environment`: a variable. `secret_file`: a file that a variable names. `configuration_file`: that of `MINTMARK_CONFIG_FILE`. `development`: `mintmark dev` chose it. `not_read`: nothing reads it with the other settings as they are. */
    readonly source: 'default' | 'environment' | 'secret_file' | 'configuration_file' | 'development' | 'not_read'
    /** The variable that gives it; null where none does. */
    readonly variable: string | null
    readonly unit: 'seconds' | 'days' | 'bytes' | null
    /** Which values it may have, where a list or a range says it. */
    readonly bounds: string | null
    /** Its value where nothing sets it. Null: none. */
    readonly default: string | null
    /** A value that it may have. */
    readonly example: string | null
    /** What it means, as the documentation says. */
    readonly meaning: string
  }[]
}
