// The settings that administrators see: of a running service, or those that a service on this machine would have.
import { readServeConfig, type ServiceConfig } from '../config/config.ts'
import type { Settings } from '../ports/settings.ts'

const listOf = ({ settings, identityProviders }: Pick<ServiceConfig, 'settings' | 'identityProviders'>) => [
  ...settings,
  ...identityProviders.flatMap(provider => provider.settings),
]

/** `providers`: those of now, which may have been read again. */
export const settingsOf = (
  config: Pick<ServiceConfig, 'settings'>,
  providers: () => ServiceConfig['identityProviders'],
): Settings => ({ list: async () => listOf({ ...config, identityProviders: providers() }) })

/** The settings with which `mintmark serve` would run in this environment, without a service. Throws a ConfigurationError. */
export const settingsHere: Settings = { list: async () => listOf(await readServeConfig()) }
