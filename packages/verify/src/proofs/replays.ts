// Proofs that came, so that none is taken twice (RFC 9449 §11.1): by default in the memory of this process.
import type { Proven } from './dpop.ts'

export const PROOFS_REMEMBERED_MAX = 100_000
/** The most proofs of one client, so that an agent with many keys cannot fill the memory of all. */
export const PROOFS_OF_ONE_CLIENT_MAX = 25_000

/** Remembers a proof. `first`: it was not there. */
export type ProofMemory = (
  proof: Proven,
  nowMs: number,
) => 'first' | 'again' | 'full' | Promise<'first' | 'again' | 'full'>

type Bounds = { readonly proofsMax: number; readonly ofOneClientMax: number }

export const makeProofMemory = ({ proofsMax, ofOneClientMax }: Bounds): ProofMemory => {
  const proofs = new Map<string, Proven>()
  const counts = new Map<string, number>()
  let forgottenAtMs = -Infinity

  const forget = (id: string, { clientId }: Proven): void => {
    proofs.delete(id)
    const left = (counts.get(clientId) ?? 0) - 1
    if (left > 0) counts.set(clientId, left)
    else counts.delete(clientId)
  }

  /** Forgets old proofs only where room is needed, and once a second at most: it reads all of them. */
  const forgetOld = (nowMs: number): void => {
    if (Math.abs(nowMs - forgottenAtMs) < 1000) return
    forgottenAtMs = nowMs
    for (const [id, proof] of proofs) if (proof.until < nowMs) forget(id, proof)
  }

  const isFull = (clientId: string): boolean =>
    proofs.size >= proofsMax || (counts.get(clientId) ?? 0) >= ofOneClientMax

  return (proof, nowMs) => {
    const id = `${proof.jkt} ${proof.jti}`
    if (proofs.has(id)) return 'again'
    if (isFull(proof.clientId)) forgetOld(nowMs)
    if (isFull(proof.clientId)) return 'full'
    proofs.set(id, proof)
    counts.set(proof.clientId, (counts.get(proof.clientId) ?? 0) + 1)
    return 'first'
  }
}
