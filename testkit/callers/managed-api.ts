// Records that files declare, planned and applied by an administrator over HTTP.
import assert from 'node:assert/strict'
import { admin, call } from './administration.ts'
import type { Body } from './agents-api.ts'
import type { Answer } from './requests.ts'
import type { TestServer } from '../services/test-server.ts'

/** The set of files unless another is named. */
export const SET = 'platform'

type Terms = { readonly set?: string; readonly adopt?: boolean; readonly max_extra?: number }

/** A document that declares an agent which may ask for much. */
export const agentNamed = (name: string, more: Body = {}): Body => ({
  kind: 'agent',
  name,
  scope: 'db:*',
  resources: ['*'],
  ...more,
})

export const managedApi = (service: TestServer) => {
  const post = async (path: string, body: object): Promise<Answer> =>
    call(service, { method: 'POST', path: `/api/v1/managed/${path}`, body }, await admin(service))

  const planAll = async (records: readonly Body[], terms: Terms = {}): Promise<readonly Body[]> => {
    const { status, text, json } = await post('plan', { set: SET, ...terms, documents: records })
    assert.equal(status, 200, text)
    return (json as { data: readonly Body[] }).data
  }

  const plan = async (record: Body, terms?: Terms): Promise<Body> => {
    const [planned] = await planAll([record], terms)
    assert.ok(planned)
    return planned
  }

  const apply = (record: Body, planned: Body, terms: Terms = {}): Promise<Answer> =>
    post('apply', { set: SET, ...terms, document: record, plan_id: planned['plan_id'] })

  /** Plans and does it. */
  const make = async (record: Body, terms: Terms = {}): Promise<Body> => {
    const { status, text, json } = await apply(record, await plan(record, terms), terms)
    assert.equal(status, 200, text)
    return json as Body
  }

  return {
    post,
    planAll,
    plan,
    apply,
    make,
    actionOf: async (record: Body, terms?: Terms): Promise<unknown> => (await plan(record, terms))['action'],
    refusalOf: async (record: Body, terms?: Terms): Promise<unknown> =>
      ((await plan(record, terms))['refusal'] as Body | null)?.['error'],
  }
}
