// Configuration of how operators are recognized: their identity providers, and the console's client at one. Without a client nobody
// signs in.
import type { IdentityProviderConfig } from './provider.ts'
import { parseSecretLine } from './remote.ts'
import type { SettingReader } from './reader.ts'
import { parseText, type Parser } from './values.ts'
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

const DEFAULT_SCOPE = 'openid'

/** The parameters that the sign-in flow sets itself; they cannot be configured. */
const OWN_PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
]

const parseParameters: Parser<Readonly<Record<string, string>>> = text => {
  const parameters = Object.fromEntries(new URLSearchParams(text))
  const wrong = OWN_PARAMETERS.find(name => Object.hasOwn(parameters, name))
  if (wrong !== undefined) return { wrong: `sets ${wrong}; expected parameters that the sign-in does not set itself` }
  return { value: parameters }
}

const NAMES = ['MINTMARK_CONSOLE_ISSUER', 'MINTMARK_CONSOLE_SCOPE', 'MINTMARK_CONSOLE_PARAMETERS'] as const

/** Returns null if there is no client. `providers`: those whose operators are recognized; only one of them can sign in here. */
export const readConsole = (
  read: SettingReader,
  providers: readonly IdentityProviderConfig[],
): ConsoleConfig | null => {
  const clientId = read.optional('MINTMARK_CONSOLE_CLIENT_ID', parseText)
  const clientSecret = read.optional('MINTMARK_CONSOLE_CLIENT_SECRET', parseSecretLine) ?? null
  const issuer = read.orElse('MINTMARK_CONSOLE_ISSUER', parseText, providers[0]?.issuer)
  const scope = read.orElse('MINTMARK_CONSOLE_SCOPE', parseText, DEFAULT_SCOPE)
  const parameters = read.optional('MINTMARK_CONSOLE_PARAMETERS', parseParameters) ?? {}
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
