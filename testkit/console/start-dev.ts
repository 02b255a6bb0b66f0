// A running `mintmark dev` with agents of its own, for tests that use the console.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_CREDENTIALS } from '../../api/values/delegation.ts'
import { exchangeFields } from '../callers/exchanges.ts'
import { claimsOf } from '../callers/requests.ts'
import { freePorts, makeFolder, start } from '../commands/run-mintmark.ts'

/** The id of a token, by its text. */
export const idOf = (token: string): string => String(claimsOf(token)['jti'])

type Scope = { readonly after: (end: () => unknown) => void }

export type Agent = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }

/** Where a `dev` keeps what it makes, and listens. */
export type DevPlace = { readonly cwd: string; readonly port: number; readonly providerPort: number }

/** A service as its administrator and its agents call it. */
export type ServiceAsked = {
  readonly baseUrl: string
  readonly ask: (method: string, path: string, body?: object) => Promise<unknown>
  readonly makeAgent: (name: string) => Promise<Agent>
  readonly issue: (agent: Agent) => Promise<string>
  /** Exchanges a token for one of this agent. */
  readonly exchange: (agent: Agent, subjectToken: string) => Promise<string>
}

export type RunningDev = ServiceAsked & {
  /** Its data folder. */
  readonly folder: string
  readonly storeFile: string
  readonly stop: () => Promise<unknown>
}

const readVariable = (folder: string, name: string): string => {
  const found = new RegExp(`^export ${name}=['"]?([^'"\n]+)`, 'm').exec(readFileSync(join(folder, 'dev.env'), 'utf8'))
  if (found?.[1] === undefined) throw new Error(`dev.env has no ${name}.`)
  return found[1]
}

export const makeDevPlace = async (scope: Scope): Promise<DevPlace> => {
  const [port, providerPort] = await freePorts()
  return { cwd: makeFolder(scope), port, providerPort }
}

export const askService = (baseUrl: string, adminJwt: string): ServiceAsked => {
  const headers = { authorization: `Bearer ${adminJwt}` }
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  const makeAgent = async (name: string): Promise<Agent> =>
    (await ask('POST', '/api/v1/agents', { name, scope: 'db:read' })) as Agent
  const grant = async (
    { client_id, client_secret }: Agent,
    fields: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const body = new URLSearchParams({ client_id, client_secret, scope: 'db:read', ...fields })
    const response = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${fields['grant_type']}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { readonly access_token: string }).access_token
  }
  const issue = (agent: Agent): Promise<string> => grant(agent, { grant_type: CLIENT_CREDENTIALS })
  const exchange = (agent: Agent, subjectToken: string): Promise<string> => grant(agent, exchangeFields(subjectToken))
  return { baseUrl, ask, makeAgent, issue, exchange }
}

export const startDev = async (scope: Scope, place?: DevPlace): Promise<RunningDev> => {
  const { cwd, port, providerPort } = place ?? (await makeDevPlace(scope))
  const baseUrl = `http://127.0.0.1:${port}`
  const folder = join(cwd, 'data')
  const variables = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort), MINTMARK_DATA_DIR: folder }
  const { stop } = await start(scope, cwd, { args: ['dev'], variables, ready: /jwks\.json"; echo\n/ })
  const asked = askService(baseUrl, readVariable(folder, 'IDENTITY_PROVIDER_JWT'))
  return { ...asked, folder, storeFile: join(folder, 'mintmark.db'), stop }
}
