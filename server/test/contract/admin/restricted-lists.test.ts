// An API key limited to audiences sees only its own tokens in the lists, and learns of no others by their cursors.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { get, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const [OURS, THEIRS] = ['https://ours.example', 'https://theirs.example']

suite('the lists of a restricted API key', () => {
  let service: TestServer
  let agent: AgentOfTest
  let key: string
  before(async () => {
    service = await startServer()
    agent = await service.createAgent()
    key = (await service.createApiKey('tokens:read', [OURS])).key
  })
  after(() => service.close())

  for (const list of ['/api/v1/tokens', '/api/v1/tokens/history']) {
    test(`${list}: a full page has a next one only where a token of theirs follows`, async () => {
      const resources = [THEIRS, OURS, THEIRS, OURS, THEIRS]
      for (const resource of resources) {
        const token = await issue(service, agent, { resource })
        service.clock.advance(1)
        if (list.endsWith('history')) await revoke(service, token)
      }
      const first = (await get(service, `${list}?limit=1`, { 'x-api-key': key })).json as Page
      assert.equal(first.data.length, 1)
      assert.ok(first.next_cursor !== null)
      const cursor = encodeURIComponent(first.next_cursor)
      const second = (await get(service, `${list}?limit=1&cursor=${cursor}`, { 'x-api-key': key })).json as Page
      assert.equal(second.data.length, 1)
      assert.equal(second.next_cursor, null)
      assert.ok([...first.data, ...second.data].every(({ audience }) => audience.includes(OURS)))
    })
  }
})

type Page = { readonly data: readonly { readonly audience: readonly string[] }[]; readonly next_cursor: string | null }
