// Fetches a JWT of an operator from a running development identity provider, which has one client for each role, so that the
// role shows in `sub` and in history.
import type { Role } from '../../../api/values/access.ts'
import { z } from 'zod'
import { StartRefused } from '../config/start-refused.ts'
import type { DevSecrets } from './dev-secrets.ts'

const answerSchema = z.object({ access_token: z.string() })

const FETCH_MILLISECONDS_MAX = 5000

const ask = async (provider: DevSecrets['identity_provider'], role: Role): Promise<Response> => {
  const credentials = Buffer.from(`${clientIdOf(role)}:${provider.client_secret}`).toString('base64')
  return fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(FETCH_MILLISECONDS_MAX),
  })
}

/** A JWT whose role claim is `mintmark-<role>`, valid for 12 hours. */
export const fetchDevToken = async (provider: DevSecrets['identity_provider'], role: Role): Promise<string> => {
  const response = await ask(provider, role).catch(() => undefined)
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

export const issuerAt = (port: number): string => `http://127.0.0.1:${port}`
