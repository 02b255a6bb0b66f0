// Requests of the administration: JSON in, and every kind of caller that there is.
import assert from 'node:assert/strict'
import type { Access } from '../../src/domain/access.ts'
import { PERMISSIONS, ROLES } from '../../src/domain/caller.ts'
import { type Answer, bearer, issue, send } from './requests.ts'
import type { TestServer } from './test-server.ts'

export type Headers = Readonly<Record<string, string>>

export type Call = { readonly method: string; readonly path: string; readonly body?: unknown }

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends a body as JSON, or none. */
export const call = (service: TestServer, { method, path, body }: Call, headers: Headers = {}): Promise<Answer> =>
  body === undefined
    ? send(service, { method, path, headers })
    : send(service, { method, path, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

export const operator = async (service: TestServer, role: string): Promise<Headers> =>
  bearer(await service.provider.operatorJwt({ role: `mintmark-${role}` }))

export const admin = (service: TestServer): Promise<Headers> => operator(service, 'admin')

type Refused = { readonly headers: Headers; readonly status: number; readonly error: string }

/** One of each kind of caller that the access does not let in, with what it must hear. */
const refusedCallers = async (service: TestServer, access: Access): Promise<Readonly<Record<string, Refused>>> => {
  const callers: Record<string, Refused> = {}
  const refused = (name: string, headers: Headers, status: number, error: string): void => {
    callers[name] = { headers, status, error }
  }
  refused('nobody', {}, 401, 'invalid_client')
  refused('a wrong key', { 'x-api-key': 'wrong' }, 401, 'invalid_client')
  const token = await issue(service, await service.createAgent())
  refused("an agent's own token", bearer(token), 401, 'invalid_token')
  refused('an operator without a role', await operator(service, 'nobody'), 403, 'insufficient_scope')
  for (const role of ROLES.slice(0, ROLES.indexOf(access.role))) {
    refused(`a ${role}`, await operator(service, role), 403, 'insufficient_scope')
  }
  for (const permission of PERMISSIONS) {
    if (permission === access.permission) continue
    const { key } = await service.createApiKey(permission)
    refused(`a key with ${permission}`, { 'x-api-key': key }, 403, 'insufficient_scope')
  }
  return callers
}

/** Every caller who may not is refused, with a good request and with a bad one, and changes nothing. */
export const assertClosed = async (
  service: TestServer,
  access: Access,
  request: Call,
  content: () => unknown,
): Promise<void> => {
  const callers = await refusedCallers(service, access)
  const before = content()
  for (const [name, { headers, status, error }] of Object.entries(callers)) {
    for (const body of request.body === undefined ? [undefined] : [request.body, { surprise: true }]) {
      const answer = await call(service, { ...request, body }, headers)
      assert.deepEqual([answer.status, (answer.json as { error: string }).error], [status, error], name)
    }
  }
  assert.deepEqual(content(), before)
}

/** Each role from the least on, and the key with the permission, gets past the door. */
export const assertOpen = async (service: TestServer, access: Access, request: Call): Promise<void> => {
  const { key } = await service.createApiKey(access.permission)
  const roles = ROLES.slice(ROLES.indexOf(access.role))
  const operators = await Promise.all(roles.map(role => operator(service, role)))
  for (const headers of [{ 'x-api-key': key }, ...operators]) {
    const { status, text } = await call(service, request, headers)
    assert.ok(status < 400 || status === 404, text)
  }
}
