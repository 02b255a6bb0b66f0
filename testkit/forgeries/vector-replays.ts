// Test vectors of proofs that come again (RFC 9449 §11.1), and of what is asked beside a proof.
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { boundTo, CALLED, proofOf, proofRow } from './vector-proofs.ts'
import type { Materials, Step, TokenVector } from './vector.ts'
import { P256_ORDER } from './weak-signatures.ts'

/** The same proof with the other signature that ECDSA has for it: n − s in the place of s. */
const withOtherS = (proof: string): string => {
  const [header = '', payload = '', signature = ''] = proof.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = P256_ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return [header, payload, other.toString('base64url')].join('.')
}

/** A proof, and what comes after it at the same verifier. */
export const replayRows = ({ genuine, holders: { ES256: holder }, other }: Materials): readonly TokenVector[] => {
  const token = boundTo(genuine, holder.jkt)
  const first = proofOf(holder, token)
  const step = (proof: string, refusal: RefusalCode | null): Step => ({ dpop: { ...CALLED, proof }, refusal })
  const ofOther = boundTo(genuine, other.jkt)
  const row = (name: string, proof: string, refusal: RefusalCode | null, ...then: readonly Step[]): TokenVector => ({
    ...proofRow(name, token, { ...CALLED, proof }, refusal),
    // oxlint-disable-next-line unicorn/no-thenable -- an array, which await does not call.
    then,
  })
  return [
    row('a proof, and its jti signed anew', first, null, step(proofOf(holder, token), 'replayed_proof')),
    row(
      'a proof, and its jti in another proof',
      first,
      null,
      step(proofOf(holder, token, { claims: { more: 1 } }), 'replayed_proof'),
    ),
    row('a proof, and the same one with n - s', first, null, step(withOtherS(first), 'replayed_proof')),
    row('a proof, and another jti', first, null, step(proofOf(holder, token, { claims: { jti: 'proof-2' } }), null)),
    row('a proof, and its jti by another key and its token', first, null, {
      ...step(proofOf(other, ofOther), null),
      token: ofOther,
    }),
    row(
      'a proof for another method, and its jti in a good one',
      proofOf(holder, token, { claims: { htm: 'POST' } }),
      'bad_proof',
      step(first, null),
      step(first, 'replayed_proof'),
    ),
  ]
}

/** Bound tokens and tokens that are bound to nothing, by each scheme. */
export const schemeRows = ({ genuine, holders: { ES256: holder } }: Materials): readonly TokenVector[] => {
  const token = boundTo(genuine, holder.jkt)
  const { text } = genuine
  const scopes = ['db:write']
  const dpop = (proof: string | null) => ({ ...CALLED, proof })
  return [
    {
      ...proofRow('a good proof, and a scope that the token lacks', token, dpop(proofOf(holder, token)), null),
      scopes,
      refusal: 'insufficient_scope',
    },
    { ...proofRow('no proof, and a scope that the token lacks', token, dpop(null), 'bad_proof'), scopes },
    { name: 'bound to a key, by the scheme Bearer', token, refusal: 'wrong_scheme' },
    proofRow('bound to nothing, by the scheme DPoP', text, dpop(proofOf(holder, text)), 'wrong_scheme'),
    proofRow('bound to nothing, by the scheme DPoP without a proof', text, dpop(null), 'wrong_scheme'),
  ]
}
