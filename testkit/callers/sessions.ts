// Signs operators in to the console of a service under test, as a browser does.
import assert from 'node:assert/strict'
import { codeFor, type Granted } from '../identity-providers/token-endpoint.ts'
import type { TestServer } from '../services/test-server.ts'
import type { Headers } from './administration.ts'
import { type Answer, send } from './requests.ts'

/** What a browser says of a request that the page of the service makes. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const

/** The name and value of the cookie that an answer sets, after those that it drops. */
export const cookieIn = ({ headers }: Answer, name: string): string => {
  const [found = ''] = new RegExp(`__Host-mintmark-${name}-[\\w-]+=[^;,]+`).exec(headers['set-cookie'] ?? '') ?? []
  return found
}

export type Begun = { readonly cookie: string; readonly query: URLSearchParams }

/** Begins a sign-in at the service: returns the cookie, and what the provider is asked. */
export const beginSignIn = async (service: TestServer, to?: string): Promise<Begun> => {
  const path = `/console/sign-in${to === undefined ? '' : `?${new URLSearchParams({ to }).toString()}`}`
  const answer = await send(service, { path })
  assert.equal(answer.status, 302, answer.text)
  return { cookie: cookieIn(answer, 'sign-in'), query: new URL(answer.headers['location'] ?? '').searchParams }
}

export const grantedTo = ({ query }: Begun, jwt: Granted['jwt'] = {}, more: Partial<Granted> = {}): Granted => ({
  nonce: query.get('nonce') ?? '',
  challenge: query.get('code_challenge') ?? '',
  jwt,
  ...more,
})

/** Back from the provider. */
export const finishSignIn = (
  service: TestServer,
  { cookie, query }: Begun,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer> => {
  const back = new URLSearchParams({ state: query.get('state') ?? '', ...parameters })
  return send(service, { path: `/console/callback?${back.toString()}`, headers: { cookie } })
}

/** The headers of requests that the page makes for an operator of this role who signed in. */
export const signIn = async (
  service: TestServer,
  { role = 'admin', ...jwt }: { readonly role?: string; readonly [claim: string]: unknown } = {},
  more: Partial<Granted> = {},
): Promise<Headers> => {
  const begun = await beginSignIn(service)
  const code = codeFor(grantedTo(begun, { role: `mintmark-${role}`, ...jwt }, more))
  const answer = await finishSignIn(service, begun, { code })
  assert.equal(answer.status, 303, answer.text)
  return { cookie: cookieIn(answer, 'session'), ...OWN_PAGE }
}
