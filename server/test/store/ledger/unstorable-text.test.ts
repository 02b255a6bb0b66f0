// Text that a database would refuse, or keep as another text, past every check of the edge.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStorable } from '../../../src/domain/text/text.ts'
import { act, createAgent, makeTestStore } from '../../../../testkit/stores/store.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'

const UNSTORABLE = ['\0', 'a\0b', 'a\ud800', '\udc00a', '\udc00\ud800']

test('a text with a NUL or half of a surrogate pair can be stored nowhere, any other everywhere', () => {
  for (const text of UNSTORABLE) assert.equal(isStorable(text), false, JSON.stringify(text))
  for (const text of ['', 'a', '\u{1F600}', '\uffff', '\ufffd', '\u0001', '\r\n']) {
    assert.equal(isStorable(text), true, JSON.stringify(text))
  }
})

test('such a text is a fault for the caller that gives it to a store, which keeps nothing of it and serves the next', async t => {
  const { store, file, dispose } = await makeTestStore()
  t.after(dispose)
  // As which half of a pair would be kept.
  const { clientId } = await createAgent(store, null, { name: 'a\ufffd', owner: 'a\ufffd' })
  for (const text of UNSTORABLE) {
    await assert.rejects(createAgent(store, null, { owner: text }), /A text that no store holds/)
    await assert.rejects(store.agents.viewForIssue([clientId, text], 'fresh'), /A text that no store holds/)
    await assert.rejects(store.credentials.findWorkload(text, 'subject'), /A text that no store holds/)
    await assert.rejects(store.agents.disable(text, act('agent.disable')), /A text that no store holds/)
  }
  assert.equal(countRows(file, 'agent'), 1)
  const { clients } = await store.agents.viewForIssue([clientId], 'fresh')
  assert.equal(clients[0]?.agent.owner, 'a\ufffd')
})
