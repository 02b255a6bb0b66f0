// Configuration of how operators are recognized: their identity providers, of the variables and of the configuration file, and the
// console's client at one. Without a client nobody signs in.
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

type Providers = Pick<ConfigFile, 'identityProviders' | 'scopesSupported'> & {
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

export type ConsoleConfig = {
  readonly issuer: string
  readonly clientId: string
  /** A secret; null: the client is public, and PKCE alone protects the code. */
  readonly clientSecret: string | null
  readonly scope: string
  /** Further parameters of the authorization request, by which a provider is asked for a JWT for this service. */
  readonly parameters: Readonly<Record<string, string>>
}

const NAMES = ['MINTMARK_CONSOLE_ISSUER', 'MINTMARK_CONSOLE_SCOPE', 'MINTMARK_CONSOLE_PARAMETERS'] as const

/** Returns null if there is no client. `providers`: those whose operators are recognized; only one of them can sign in here. */
const readConsole = (read: SettingReader, providers: readonly IdentityProviderConfig[]): ConsoleConfig | null => {
  const clientId = read.value('MINTMARK_CONSOLE_CLIENT_ID')
  const clientSecret = read.value('MINTMARK_CONSOLE_CLIENT_SECRET') ?? null
  const issuer = read.value('MINTMARK_CONSOLE_ISSUER', providers[0]?.issuer) ?? providers[0]?.issuer
  const scope = read.value('MINTMARK_CONSOLE_SCOPE')
  const parameters = read.value('MINTMARK_CONSOLE_PARAMETERS') ?? {}
  if (clientId === undefined) {
    const set = NAMES.find(read.isSet) ?? (clientSecret === null ? undefined : 'MINTMARK_CONSOLE_CLIENT_SECRET')
    if (set !== undefined) {
      read.mistake(
        `${set} is set, but MINTMARK_CONSOLE_CLIENT_ID is not; expected the console's client at the provider`,
      )
    }
    return null
  }
  if (!providers.some(provider => provider.issuer === issuer)) {
    if (issuer !== undefined) {
      read.mistake(`MINTMARK_CONSOLE_ISSUER is ${issuer}; expected one of the configured identity providers`)
    }
    return null
  }
  if (providers.length > 1 && !read.isSet('MINTMARK_CONSOLE_ISSUER')) {
    read.mistake(
      'MINTMARK_CONSOLE_ISSUER is not set; expected one of the configured identity providers: there are several',
    )
    return null
  }
  return issuer === undefined ? null : { issuer, clientId, clientSecret, scope, parameters }
}

export type OperatorsConfig = Providers & {
  /** Null where no operator can sign in to the console. */
  readonly console: ConsoleConfig | null
}

export const readOperators = async (read: SettingReader, baseUrl: string | undefined): Promise<OperatorsConfig> => {
  const providers = await readProviders(read, baseUrl)
  return { ...providers, console: readConsole(read, providers.identityProviders) }
}
