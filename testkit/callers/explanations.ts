// Explanations of tokens, as tests ask for them.
import assert from 'node:assert/strict'
import type { TestServer } from '../services/test-server.ts'
import { type Answer, claimsOf, get, introspect, postJson } from './requests.ts'

type Check = { readonly check: string; readonly outcome: string; readonly evidence: Readonly<Record<string, unknown>> }

export type Explained = {
  readonly code: string
  readonly active: boolean
  readonly explained_at: string | null
  readonly checks: readonly Check[]
  readonly token: Readonly<Record<string, unknown>> | null
}

export const EXPLAIN = '/api/v1/tokens/explain'

export const idOf = (token: string): string => String(claimsOf(token)['jti'])

export const failedOf = ({ checks }: Explained): readonly string[] =>
  checks.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check)

export const readExplained = (answer: Answer): Explained => {
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Explained
}

/** The keys are asked for when they are needed. */
export const makeExplainer = (
  service: TestServer,
  keys: { readonly reader: () => string; readonly introspector: () => string },
) => {
  const askText = (token: string, key = keys.reader()): Promise<Answer> =>
    postJson(service, EXPLAIN, { token }, { 'x-api-key': key })
  const askId = (id: string, key = keys.reader()): Promise<Answer> =>
    get(service, `/api/v1/tokens/${id}/explain`, { 'x-api-key': key })
  const explain = async (token: string): Promise<Explained> => readExplained(await askText(token))
  const isActive = async (token: string): Promise<boolean> =>
    (await introspect(service, keys.introspector(), token)).text.startsWith('{"active":true')
  /** The code of a token by its text and by its id, and whether it is what introspection says. */
  const codeOf = async (token: string): Promise<string> => {
    const [byText, byId] = [await explain(token), readExplained(await askId(idOf(token)))]
    assert.equal(byId.code, byText.code)
    assert.deepEqual(byId.token, byText.token)
    assert.equal(byText.active, await isActive(token))
    assert.equal(byText.code === 'active', byText.active)
    assert.equal(failedOf(byText).length === 0, byText.active)
    return byText.code
  }
  return { askText, askId, explain, isActive, codeOf }
}
