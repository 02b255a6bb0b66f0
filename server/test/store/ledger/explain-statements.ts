// The statements of an explanation that read rows which grow in number with tokens, or with what ends them.
import assert from 'node:assert/strict'
import { NO_CONDITION } from '../../../src/domain/ledger/ledger.ts'
import { statementsDuring } from '../../../../testkit/stores/asked-statements.ts'
import { act, createAgent, issue, newTokens, type TestedStore } from '../../../../testkit/stores/store.ts'

/** An act that covers more leaves their rows to the backfill. */
const FEW = 64
const UNKNOWN = '019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10'

/** Of a child that an open cut-off covers, with its parent, and of a token that never was; each once, in the order of their texts. */
export const explainStatements = async (store: TestedStore): Promise<readonly string[]> => {
  const agent = await createAgent(store)
  const [parent] = await issue(store, agent, ...Array.from({ length: FEW }, () => ({})))
  const [child] = await newTokens(store, agent, [{}])
  assert.ok(parent && child)
  assert.deepEqual(await store.ledger.insert([{ ...child, parent }]), ['inserted'])
  await store.ledger.endAll({ ...NO_CONDITION, agent: child.agent }, 'bulk_revocation', act('revocation.create'))
  const asked = await statementsDuring(async () => {
    await store.ledger.explain(child.id)
    await store.ledger.explain(UNKNOWN)
  }, / from (?:token|ended) |where seq = |ended_seq as seq/)
  return asked.toSorted()
}
