// The service that `mintmark doctor` looks at from outside.
import { ConfigurationError, type Environment, ownEnvironment } from './config.ts'
import { makeSettingReader } from './reader.ts'

/** Returns the given URL, or else that of the environment; null if there is none. The command reports other mistakes as findings. */
export const readServiceUrl = (given: string | undefined, env: Environment = ownEnvironment()): string | null => {
  if (given !== undefined) return given
  const read = makeSettingReader(env)
  const before = read.mistakes.length
  const url = read.value('MINTMARK_URL') ?? null
  if (read.mistakes.length > before) throw new ConfigurationError(read.mistakes.slice(before))
  return url
}
