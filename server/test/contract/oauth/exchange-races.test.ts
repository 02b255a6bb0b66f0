// Token exchange while its subject token ends: between its look-up and the write of the new token, and at any instant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertError, introspect, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { countRows } from '../../../../testkit/stores/store-file.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { makeInsertPause } from '../../../../testkit/services/insert-pause.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const INACTIVE =
  'The subject_token is neither an active access token of this service nor a JWT of an issuer from which this agent may exchange one.'

const pause = makeInsertPause()
const service = useService({ break: pause.inFront })
const caller = service.agent()
const server = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
const apiKey = service.apiKey('tokens:introspect')

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, apiKey.key, token)).json as { active: unknown }).active

for (const relation of ['a parent', 'the parent of a parent']) {
  test(`${relation} that ends after the look-up: no child, and the refusal of a token that ended before`, async () => {
    const before = countRows(service.storeFile, 'token')
    const ended = await issue(service, caller)
    const parent = relation === 'a parent' ? ended : await exchange(service, server, ended)
    pause.next(() => revoke(service, ended))
    assertError(await askExchange(service, server, parent), 400, 'invalid_request', INACTIVE)
    assert.equal(pause.isPending(), false)
    assert.equal(countRows(service.storeFile, 'token'), before)
  })
}

test('an agent that is disabled after the token that it holds was looked up gets that one no child', async () => {
  const holder = await service.createAgent()
  const parent = await issue(service, holder)
  pause.next(() => service.disableAgent(holder.agentId))
  assertError(await askExchange(service, server, parent), 400, 'invalid_request', INACTIVE)
  assert.equal(pause.isPending(), false)
})

const ROUNDS = 25

test('of exchanges that race with the end of the parent none leaves a live token, and each is refused as for any ended one', async () => {
  const outcomes = { granted: 0, refused: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const root = await issue(service, caller)
    const parent = round % 2 === 0 ? root : await exchange(service, server, root)
    const asking: Promise<Answer>[] = []
    const ask = () => asking.push(askExchange(service, server, parent))
    ask()
    ask()
    const ended = revoke(service, root)
    ask()
    ask()
    assert.equal((await ended).status, 200)
    ask()
    for (const answer of await Promise.all(asking)) {
      if (answer.status === 200) {
        outcomes.granted += 1
        assert.equal(await isActive((answer.json as { access_token: string }).access_token), false)
      } else {
        outcomes.refused += 1
        assertError(answer, 400, 'invalid_request', INACTIVE)
      }
    }
  }
  assert.ok(outcomes.refused >= ROUNDS && outcomes.granted > 0, JSON.stringify(outcomes))
})
