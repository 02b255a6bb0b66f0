// Configuration of the identity providers together: the one of the variables, and those of the configuration file.
import type { ConfigFile } from './config-file.ts'
import { scopesSetting } from './file-settings.ts'
import { type IdentityProviderConfig, PROVIDER_VARIABLES, readProvider } from './provider.ts'
import type { SettingReader } from './reader.ts'

const checkProviders = (
  read: SettingReader,
  providers: readonly IdentityProviderConfig[],
  baseUrl: string | undefined,
): void => {
  const issuers = providers.map(provider => provider.issuer)
  for (const issuer of new Set(issuers)) {
    if (issuer === baseUrl) {
      read.mistake(
        `MINTMARK_BASE_URL equals the identity provider ${issuer}; expected another issuer: no token of this service names an operator`,
      )
    }
    if (issuers.filter(other => other === issuer).length > 1) {
      read.mistake(`MINTMARK_CONFIG_FILE names the identity provider ${issuer} again; expected each issuer once`)
    }
  }
}

// The file is rarely used, and its parser takes a while to load.
const readConfigFile = async (read: SettingReader): Promise<ConfigFile | undefined> => {
  const path = read.value('MINTMARK_CONFIG_FILE')
  if (path === undefined) return undefined
  const { parseConfigFile } = await import('./config-file.ts')
  return read.accept('MINTMARK_CONFIG_FILE', parseConfigFile(path))
}

export type Providers = Pick<ConfigFile, 'identityProviders' | 'scopesSupported'> & {
  /** Members of the file beside those of its providers. */
  readonly fileSettings: ConfigFile['settings']
}

/** Reads all identity providers, and the scopes of the file. */
export const readProviders = async (read: SettingReader, baseUrl: string | undefined): Promise<Providers> => {
  const file = await readConfigFile(read)
  const identityProviders = [...readProvider(read), ...(file?.identityProviders ?? [])]
  const isFileWrong = file === undefined && read.isSet('MINTMARK_CONFIG_FILE')
  if (identityProviders.length === 0 && !isFileWrong && !PROVIDER_VARIABLES.some(read.isSet)) {
    read.mistake(
      'MINTMARK_IDP_ISSUER is not set; expected an identity provider, there or in MINTMARK_CONFIG_FILE: without one no operator could revoke a token',
    )
  }
  checkProviders(read, identityProviders, baseUrl)
  const fileSettings = file?.settings ?? [scopesSetting(undefined)]
  return { identityProviders, scopesSupported: file?.scopesSupported ?? null, fileSettings }
}
