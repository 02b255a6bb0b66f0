// The acts in the audit log of a service under test.
import assert from 'node:assert/strict'
import type { TestServer } from '../services/test-server.ts'
import { admin } from './administration.ts'
import { send } from './requests.ts'

type Audited = { readonly kind: string; readonly actor: unknown; readonly subject: string | null }

/** Newest first, of these kinds, a comma between two. */
export const actsIn = async (service: TestServer, kinds: string): Promise<readonly Audited[]> => {
  const answer = await send(service, { path: `/api/v1/audit?kind=${kinds}`, headers: await admin(service) })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { readonly data: readonly Audited[] }).data
}
