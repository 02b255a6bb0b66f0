// DPoP where the service is set otherwise: without nonces, and with a path in its base URL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askWith, goodClaims, makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { assertError } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const key = makeProofKey()

test('with MINTMARK_DPOP_NONCE=off no nonce is demanded, looked at or given, and a proof still gets one token', async () => {
  const service = await startServer({ config: { dpopNonce: 'off' } })
  try {
    const agent = await service.createAgent()
    const proof = makeProof(key, { claims: goodClaims(service) })
    const answer = await askWith(service, agent, proof)
    assert.deepEqual([answer.status, answer.headers['dpop-nonce']], [200, undefined])
    const used = 'The DPoP proof was refused: it was used before.'
    assertError(await askWith(service, agent, proof), 400, 'invalid_dpop_proof', used)
    const withNonce = makeProof(key, { claims: { ...goodClaims(service), nonce: 'of somebody else' } })
    assert.equal((await askWith(service, agent, withNonce)).status, 200)
  } finally {
    await service.close()
  }
})

test('with a path in the base URL htu has it too', async () => {
  const service = await startServer({ path: '/tenant/one', config: { dpopNonce: 'off' } })
  try {
    const agent = await service.createAgent()
    const ask = (htu: string) => askWith(service, agent, makeProof(key, { claims: { ...goodClaims(service), htu } }))
    assert.equal((await ask(`${service.baseUrl}/oauth/token`)).status, 200)
    assert.equal((await ask(`${service.origin}/oauth/token`)).status, 400)
  } finally {
    await service.close()
  }
})
