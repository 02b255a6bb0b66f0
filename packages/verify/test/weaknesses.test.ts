// Every known weakness of verifiers, in all three modes: no text of the table is accepted, and nobody's address is called.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ATTACKER_JWKS, type Genuine } from '../../../testkit/forgeries/forgeries.ts'
import { weaknessesOf } from '../../../testkit/forgeries/weaknesses.ts'
import { setTrap, type Trap } from '../../../testkit/identity-providers/trap.ts'
import { createVerifier, type Mode, type Verifier } from '../src/index.ts'
import { assertVerified, usePublisher } from './fixtures.ts'
import { API_KEY, AUDIENCE } from '../../../testkit/feed/reference-publisher.ts'

const MODES: readonly Mode[] = ['offline', 'feed', 'introspect']

for (const alg of ['ES256', 'RS256'] as const) {
  suite(`signed by the key of the service itself, ${alg}`, () => {
    const publisher = usePublisher(alg)
    let trap: Trap
    let genuine: Genuine
    const verifiers = new Map<Mode, Verifier>()

    before(async () => {
      trap = await setTrap(ATTACKER_JWKS)
      const { token, claims } = publisher.mint()
      const header = { alg, kid: publisher.kid, typ: 'at+jwt' }
      genuine = { text: token, key: publisher.key, header, claims, trap: trap.address }
      // As the service: active is one text alone.
      const usual = publisher.introspect
      publisher.introspect = text => (text === token ? usual(text) : { active: false })
      for (const mode of MODES) {
        const verifier = createVerifier({ issuer: publisher.issuer, audience: AUDIENCE, apiKey: API_KEY, mode })
        verifiers.set(mode, verifier)
        await verifier.ready()
      }
    })
    after(async () => {
      for (const verifier of verifiers.values()) verifier.close()
      await trap.close()
    })

    test('the genuine token is accepted in each mode', async () => {
      for (const verifier of verifiers.values()) assertVerified(await verifier.verify(genuine.text))
    })

    for (const { name, forge } of weaknessesOf(alg)) {
      test(name, async () => {
        const forged = forge(genuine)
        for (const [mode, verifier] of verifiers) {
          const result = await verifier.verify(forged)
          assert.ok(!result.ok, `Accepted in mode ${mode}.`)
          // Alone it cannot know that there is no such key, once others had the key set read.
          const isPending = mode === 'offline' && result.refusal === 'key_pending'
          assert.equal(result.status, isPending ? 503 : 401)
        }
        assert.equal(trap.visits(), 0)
      })
    }
  })
}
