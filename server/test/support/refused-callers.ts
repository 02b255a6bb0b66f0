// Every kind of caller that may not do an act of the administration, with the answer that it hears.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../src/domain/access.ts'
import { PERMISSIONS, ROLES } from '../../src/domain/caller.ts'
import { type Answer, bearer, issue } from './requests.ts'
import type { TestServer } from './test-server.ts'

type Headers = Readonly<Record<string, string>>

type Refused = { readonly who: string; readonly headers: (service: TestServer) => Promise<Headers> | Headers }

const unknown: readonly Refused[] = [
  { who: 'nobody', headers: () => ({}) },
  { who: 'an unknown API key', headers: () => ({ 'x-api-key': 'mma_unknown' }) },
  {
    who: 'a revoked API key',
    headers: async service => {
      const { id, key } = await service.createApiKey('tokens:revoke')
      await service.revokeApiKey(id)
      return { 'x-api-key': key }
    },
  },
  {
    who: 'the token of an agent',
    headers: async service => bearer(await issue(service, await service.createAgent())),
  },
  {
    who: 'a JWT that is for another service',
    headers: async service => bearer(await service.provider.operatorJwt({ aud: 'elsewhere', role: 'mintmark-admin' })),
  },
]

const lacking = ({ permission, role }: Access): readonly Refused[] => [
  ...PERMISSIONS.filter(one => one !== permission).map(one => ({
    who: `an API key with ${one}`,
    headers: async (service: TestServer) => ({ 'x-api-key': (await service.createApiKey(one)).key }),
  })),
  ...['nothing', ...ROLES.slice(0, ROLES.indexOf(role)).map(one => `mintmark-${one}`)].map(one => ({
    who: `an operator with the role ${one}`,
    headers: async (service: TestServer) => bearer(await service.provider.operatorJwt({ role: one })),
  })),
]

type Act = {
  readonly name: string
  readonly access: Access
  readonly service: () => TestServer
  readonly send: (headers: Headers) => Promise<Answer>
  /** Fails where the act was done all the same. */
  readonly isUndone: () => Promise<void>
}

/** One test for each caller that may not: 401 where it is unknown, 403 where it lacks the right, and nothing changes. */
export const testRefusedCallers = ({ name, access, service, send, isUndone }: Act): void => {
  const groups = [
    { status: 401, callers: unknown },
    { status: 403, callers: lacking(access) },
  ]
  for (const { status, callers } of groups) {
    for (const { who, headers } of callers) {
      test(`${name}: ${who} is refused with ${status}`, async () => {
        const answer = await send(await headers(service()))
        assert.equal(answer.status, status, answer.text)
        assert.equal(answer.headers['content-type'], 'application/problem+json')
        await isUndone()
      })
    }
  }
}
