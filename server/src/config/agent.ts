// What commands read that ask a service from outside: `mintmark doctor`, and `mintmark token get` as an agent, with what the command sees
// that it runs.
import { ConfigurationError, type Environment, ownEnvironment, readEach } from './config.ts'
import type { GivenRemote } from './remote.ts'
import { makeSettingReader } from './reader.ts'

/** For `mintmark doctor`: returns the given URL, or else that of the environment; null if there is none. The command reports other mistakes as findings. */
export const readServiceUrl = (given: string | undefined, env: Environment = ownEnvironment()): string | null => {
  if (given !== undefined) return given
  const read = makeSettingReader(env)
  const before = read.mistakes.length
  const url = read.value('MINTMARK_URL') ?? null
  if (read.mistakes.length > before) throw new ConfigurationError(read.mistakes.slice(before))
  return url
}

/** The agent that asks for a token itself, and the base URL of the service that it asks; null where the environment does not set one. */
export const readAgentConfig = ({ url, isCredentialGiven }: GivenRemote, env: Environment = ownEnvironment()) =>
  readEach(env, read => ({
    url: url ?? read.value('MINTMARK_URL') ?? null,
    clientId: read.value('MINTMARK_CLIENT_ID') ?? null,
    clientSecret: isCredentialGiven ? null : (read.value('MINTMARK_CLIENT_SECRET') ?? null),
  }))

/** What a command that is run with a token sees: all that this one does, but no secret of the agent's. */
export const environmentOfCommand = (token: string, env: Environment = ownEnvironment()): Environment => {
  const { MINTMARK_CLIENT_SECRET: _, ...rest } = env
  return { ...rest, MINTMARK_ACCESS_TOKEN: token }
}
