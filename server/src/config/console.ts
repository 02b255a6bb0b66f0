// Configuration of how operators are recognized: their identity providers, and the console's client at one. Without a client nobody
// signs in.
import type { IdentityProviderConfig } from './provider.ts'
import type { SettingReader } from './reader.ts'
import { type Providers, readProviders } from './providers.ts'

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
