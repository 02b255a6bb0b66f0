// The service that `mintmark doctor` looks at from outside.
import { ConfigurationError, type Environment, ownEnvironment } from './config.ts'
import { makeSettingReader } from './reader.ts'
import { parseServiceUrl } from './remote.ts'

/** As it was given, or else of the environment; null if none is named. Other mistakes are findings of the command. */
export const readServiceUrl = (given: string | undefined, env: Environment = ownEnvironment()): string | null => {
  if (given !== undefined) return given
  const read = makeSettingReader(env)
  const before = read.mistakes.length
  const url = read.optional('MINTMARK_URL', parseServiceUrl) ?? null
  if (read.mistakes.length > before) throw new ConfigurationError(read.mistakes.slice(before))
  return url
}
