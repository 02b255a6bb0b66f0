// Requests of the administration: JSON in, as an operator of some role.
import { type Answer, bearer, send } from './requests.ts'
import type { TestServer } from '../services/test-server.ts'

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
