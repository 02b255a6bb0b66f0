// The agent for which `mintmark token get` asks, and what the command sees that it runs.
import { type Environment, ownEnvironment, readEach } from './config.ts'
import type { GivenRemote } from './remote.ts'

/** The service and the credential of an agent; null where the environment does not set one. */
export type AgentConfig = {
  /** The base URL of the service, without a trailing slash. */
  readonly url: string | null
  readonly clientId: string | null
  readonly clientSecret: string | null
}

/** The agent that asks for a token itself, and the service that it asks. */
export const readAgentConfig = (
  { url, isCredentialGiven }: GivenRemote,
  env: Environment = ownEnvironment(),
): AgentConfig =>
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
