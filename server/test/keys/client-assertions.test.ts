// The signatures of client assertions: as many wait as are taken, and each address has its share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeClientAssertions } from '../../src/keys/clients/client-assertions.ts'
import { makeProofKey, signParts } from '../../../testkit/keys/dpop.ts'
import { forgerOf } from '../../../testkit/loads/flood.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { keySetsBy } from '../../../testkit/identity-providers/key-sets.ts'

const key = makeProofKey()
const place = { jwks: [{ ...key.jwk } as Record<string, string>], jwksUri: null, issuer: null }
const monotonicNow = (): number => 0

const makeVerify = () => {
  const assertions = makeClientAssertions({ timing: TIMING, keySets: keySetsBy(fetch, monotonicNow), monotonicNow })
  return (signed: string, source: string): Promise<string | null> => {
    const read = assertions.read(signed)
    assert.ok('verify' in read)
    return read.verify(place, source)
  }
}

test('of forged assertions by the hundred as many wait as are taken, the rest are Unavailable; one from elsewhere is verified', async () => {
  const verify = makeVerify()
  const assertion = signParts(key, JSON.stringify({ alg: key.alg }), JSON.stringify({ sub: 'client' }))
  const forge = forgerOf(assertion)
  const flood = Promise.allSettled(Array.from({ length: 300 }, () => verify(forge(), '192.0.2.1')))
  assert.equal(await verify(assertion, '192.0.2.2'), null)
  const settled = await flood
  const refused = settled.filter(one => one.status === 'rejected')
  assert.ok(refused.length >= 42 && refused.every(({ reason }) => reason instanceof Unavailable), `${refused.length}`)
  for (const one of settled) {
    if (one.status === 'fulfilled') assert.equal(one.value, 'the signature does not verify')
  }
})
