// The ends of the feed drill: each kind has an agent of its own, so that an end touches no other's token.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Access, type AgentAccess, tokenIn } from '../requests.ts'
import { mintmark, type Variables } from '../service-under-drill.ts'
import type { End } from './watched-token.ts'

export const KINDS = ['single', 'credential', 'agent', 'scope'] as const

export type Kind = (typeof KINDS)[number]

/** The service as a caller finds it: any of its ports. */
export type Service = { readonly ports: readonly number[]; readonly access: Access }

const LIFETIME_SECONDS = 86_400
const RETRY_MS = 50
const RETRIES_MAX = 1200
const REQUEST_MS_MAX = 5000

const now = (): number => Number(process.hrtime.bigint()) / 1e6

export const createAgent = async (variables: Variables, name: string): Promise<AgentAccess> => {
  const settings = ['--name', name, '--scope', 'db:*', '--lifetime-seconds', String(LIFETIME_SECONDS), '--json']
  const made = JSON.parse(await mintmark(variables, ['agent', 'create', ...settings])) as Record<string, string>
  return { clientId: made['client_id'] ?? '', clientSecret: made['client_secret'] ?? '' }
}

type Message = {
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body: URLSearchParams | string
}

/** Asks one port after another until one responds with 200 or 201: while a replica is down the other one serves. */
const ask = async ({ ports }: Service, { path, headers = {}, body }: Message): Promise<string> => {
  let last: unknown
  for (let tries = 0; tries < RETRIES_MAX; tries += 1) {
    try {
      const signal = AbortSignal.timeout(REQUEST_MS_MAX)
      const url = `http://127.0.0.1:${ports[tries % ports.length]}${path}`
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      const text = await response.text()
      if (response.status === 200 || response.status === 201) return text
      last = `${response.status}: ${text}`
      if (response.status < 500) break
    } catch (fault) {
      last = fault
    }
    await delay(RETRY_MS)
  }
  throw new Error(`${path} was not answered as it should be: ${String(last)}`)
}

export const issue = async (service: Service, agent: AgentAccess, scope = 'db:read'): Promise<string> => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: agent.clientId,
    client_secret: agent.clientSecret,
    scope,
  })
  return tokenIn(await ask(service, { path: '/oauth/token', body }))
}

const credentialOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { credential_id: string })
    .credential_id

type Ended = { readonly token: string; readonly clientId: string; readonly scope: string }

const messageOf = (kind: Kind, { access }: Service, { token, clientId, scope }: Ended): Message => {
  const authorization = `Bearer ${access.operatorJwt}`
  if (kind === 'single') {
    return { path: '/oauth/revoke', headers: { authorization }, body: new URLSearchParams({ token }) }
  }
  const conditions = {
    credential: { credential_id: credentialOf(token) },
    agent: { agent_id: clientId },
    scope: { scope },
  }
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ id: randomUUID(), ...conditions[kind], note: 'feed drill' })
  return { path: '/api/v1/revocations', headers, body }
}

/** Ends a token; returns once that is acknowledged. */
export const end = async (kind: Kind, service: Service, ended: Ended): Promise<End> => {
  const message = messageOf(kind, service, ended)
  const sentAt = now()
  await ask(service, message)
  return { kind, sentAt, acknowledgedAt: now() }
}
