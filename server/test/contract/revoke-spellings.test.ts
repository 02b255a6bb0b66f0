// A revocation must not miss: any spelling of a token of ours that some verifier accepts ends it.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { introspect, issue, revoke } from '../support/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../support/test-server.ts'

const spell = (token: string, change: (signature: string) => string): string => {
  const at = token.lastIndexOf('.') + 1
  return token.slice(0, at) + change(token.slice(at))
}

// Each of them seen accepted by at least one of jose 6, Authlib and python-jose.
const SPELLINGS: Readonly<Record<string, (signature: string) => string>> = {
  padding: signature => `${signature}==`,
  'what follows the padding': signature => `${signature}==AAAA`,
  'two thousand paddings': signature => signature + '='.repeat(2000),
  'white space within': signature => signature.slice(0, 40) + ' '.repeat(8000) + signature.slice(40),
  'the other alphabet': signature => signature.replaceAll('-', '+').replaceAll('_', '/'),
}

suite('revoking another spelling of a token', () => {
  let service: TestServer
  let agent: AgentOfTest
  let key: string
  before(async () => {
    service = await startServer()
    agent = await service.createAgent()
    key = (await service.createApiKey('tokens:introspect')).key
  })
  after(() => service.close())

  for (const [name, change] of Object.entries(SPELLINGS)) {
    test(`${name}: 200, and the token itself is inactive`, async () => {
      const token = await issue(service, agent)
      assert.equal((await revoke(service, spell(token, change))).text, '{}')
      assert.equal((await introspect(service, key, token)).text, '{"active":false}')
    })
  }

  test('another signature: 200, and the token stays active', async () => {
    const [token, other] = [await issue(service, agent), await issue(service, agent)]
    const foreign = other.slice(other.lastIndexOf('.') + 1)
    assert.equal(
      (
        await revoke(
          service,
          spell(token, () => foreign),
        )
      ).text,
      '{}',
    )
    assert.match((await introspect(service, key, token)).text, /^{"active":true/)
  })
})
