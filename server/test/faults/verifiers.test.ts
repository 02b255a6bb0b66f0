// Who holds a revocation cannot be read: the revocation is made and said to be made all the same.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { assertProblem, get, postJson } from '../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../testkit/services/test-server.ts'

const UNAVAILABLE = 'The service cannot answer for certain right now: try again.'

let service: TestServer
let revoker: Readonly<Record<string, string>>
let reader: Readonly<Record<string, string>>

before(async () => {
  const away = () => Promise.reject(new Unavailable('The disk is full.'))
  service = await startServer({
    break: ports => ({ ...ports, verifiers: { ...ports.verifiers, holding: away, list: away } }),
  })
  revoker = { 'x-api-key': (await service.createApiKey('tokens:revoke')).key }
  reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
})
after(() => service.close())

test('a revocation is 201 although nobody can say who holds it; to show it, or the verifiers, is 503', async () => {
  const made = await postJson(service, '/api/v1/revocations', { scope: 'no:one' }, revoker)
  const { id, verifiers } = made.json as { readonly id: string; readonly verifiers: unknown }
  assert.deepEqual([made.status, verifiers], [201, null])
  for (const path of [`/api/v1/revocations/${id}`, '/api/v1/verifiers']) {
    assertProblem(await get(service, path, reader), 503, 'temporarily_unavailable', UNAVAILABLE)
  }
})
