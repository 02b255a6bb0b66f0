// Configuration that a running service reads again when its files change: TLS, and the identity providers of the file.
import { resolve } from 'node:path'
import { ConfigurationError, type Environment, type ServeConfig } from './config.ts'
import type { IdentityProviderConfig } from './provider.ts'
import { readCallers } from './callers.ts'
import { readProviders } from './operators.ts'
import { makeSettingReader, type SettingReader } from './reader.ts'
import { readTls } from './tls.ts'

export type ReloadedKind = 'tls' | 'providers'

/** The files, as absolute paths, by what they are for. */
export const readReloadedPaths = (env: Environment): Readonly<Record<ReloadedKind, readonly string[]>> => {
  const pathsOf = (...names: readonly string[]): readonly string[] =>
    names.flatMap(name => (env[name] === undefined || env[name] === '' ? [] : [resolve(env[name])]))
  return {
    tls: pathsOf('MINTMARK_TLS_CERT_FILE', 'MINTMARK_TLS_KEY_FILE', 'MINTMARK_TLS_CLIENT_CA_FILE'),
    providers: pathsOf('MINTMARK_CONFIG_FILE'),
  }
}

const readBaseUrl = (read: SettingReader): string | undefined => read.value('MINTMARK_BASE_URL')

const refuseMistakes = ({ mistakes }: SettingReader): void => {
  if (mistakes.length > 0) throw new ConfigurationError(mistakes)
}

export type TlsAgain = Pick<ServeConfig, 'tls' | 'clientCertificates'>

/** Throws a ConfigurationError with all mistakes of these files. */
export const readTlsAgain = (env: Environment): TlsAgain => {
  const read = makeSettingReader(env)
  const tls = readTls(read, readBaseUrl(read))
  const { clientCertificates } = readCallers(read)
  refuseMistakes(read)
  return { tls, clientCertificates }
}

/** All providers: those of the file, and that of the variables. Throws a ConfigurationError with all mistakes. */
export const readProvidersAgain = async (env: Environment): Promise<readonly IdentityProviderConfig[]> => {
  const read = makeSettingReader(env)
  const { identityProviders } = await readProviders(read, readBaseUrl(read))
  refuseMistakes(read)
  return identityProviders
}
