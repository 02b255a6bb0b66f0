// Fetches a JWT of an operator from a running development identity provider, which has one client for each role, so that the
// role shows in `sub` and in history.
import { createHmac } from 'node:crypto'
import type { Role } from '../../../api/values/access.ts'
import { z } from 'zod'
import { StartRefused } from '../config/start-refused.ts'
import type { Timing } from '../ports/timing.ts'
import type { DevSecrets } from './dev-secrets.ts'

const answerSchema = z.object({ access_token: z.string() })

type Provider = DevSecrets['identity_provider']
type TokenTiming = Pick<Timing, 'devTokenMs'>

const ask = async (provider: Provider, role: Role, { devTokenMs }: TokenTiming): Promise<Response> => {
  const credentials = Buffer.from(`${clientIdOf(role)}:${provider.client_secret}`).toString('base64')
  return fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(devTokenMs),
  })
}

/** A JWT whose role claim is `mintmark-<role>`, valid for 12 hours. */
export const fetchDevToken = async (provider: Provider, role: Role, timing: TokenTiming): Promise<string> => {
  const response = await ask(provider, role, timing).catch(() => undefined)
  if (response === undefined) {
    throw new StartRefused(`No identity provider answers at ${provider.issuer}; start \`mintmark dev\` first.`)
  }
  if (response.status !== 200) {
    throw new StartRefused(
      `What answers at ${provider.issuer} is not this folder's identity provider (status ${response.status}); run the command in the folder of the one that runs.`,
    )
  }
  return answerSchema.parse(await response.json()).access_token
}

/** The console's client. */
export const CONSOLE_CLIENT_ID = 'dev-console'

export const clientIdOf = (role: Role): string => `dev-${role}`

/** The client of agents, for which people sign in. */
export const AGENT_CLIENT_ID = 'dev-agent'

/** The secret of that client: one from which nobody finds that of the clients of operators. */
export const agentSecretOf = (clientSecret: string): string =>
  createHmac('sha256', clientSecret).update(AGENT_CLIENT_ID).digest('base64url')

export const issuerAt = (port: number): string => `http://127.0.0.1:${port}`
