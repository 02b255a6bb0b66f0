// How the revocation feed names things: short digests of public ids, the tails of token ids, and the conditions of a cut-off
// by the names that a verifier finds in tokens, instead of the store's numbers.
import { createHash } from 'node:crypto'
import type { CutOffFact, IdDigest, TokenTail } from '../../domain/ledger/cut-off-fact.ts'
import type { CutOffConditions } from '../../domain/ledger/ledger.ts'
import { spellingsOf } from '../ledger/interned-sets.ts'
import { bytesOfId } from '../rows.ts'
import { all, only, type Program } from '../statement-program.ts'

const BYTES = 8
const ID_BYTES = 16

export const idDigest = (id: string): IdDigest =>
  createHash('sha256').update(id).digest().subarray(0, BYTES).toString('base64url')

/** Returns the tail of an id as it is stored. */
export const tailBytes = (id: Uint8Array): Uint8Array => id.subarray(ID_BYTES - BYTES)

export const tokenTail = (id: string): TokenTail => Buffer.from(tailBytes(bytesOfId(id))).toString('base64url')

type Named = Omit<CutOffFact, 'seq' | 'until' | 'opened'>

const NAME = {
  agent: 'select id as name from agent where n = ?',
  credential: 'select id as name from credential where n = ?',
  key: 'select kid as name from signing_key where n = ?',
} as const

function* digestOf(kind: keyof typeof NAME, n: number): Program<string> {
  return idDigest((yield* only<{ name: string }>(NAME[kind], n)).name)
}

/** How many are requested at once; fewer use the same statement. */
const AT_ONCE = 100
const AGENTS = `select id from agent where n in (${Array.from({ length: AT_ONCE }, () => '?').join(', ')})`

function* digestsOf(agents: readonly number[]): Program<readonly string[]> {
  const digests: string[] = []
  for (let from = 0; from < agents.length; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, n) => agents[from + n] ?? null)
    for (const { id } of yield* all<{ id: string }>(AGENTS, ...some)) digests.push(idDigest(id))
  }
  if (digests.length !== agents.length) throw new Error('A revocation selects an agent that is not there.')
  return digests
}

/**
 * Each condition that the cut-off has, and no other: one that is left out would end tokens that live. Once for each spelling of
 * its audience: a verifier compares the digest of what it finds in a token.
 */
export function* nameConditions(conditions: CutOffConditions): Program<readonly Named[]> {
  const { agent, credential, key, scope, keepScopes, audience, keepAudiences, before } = conditions
  const { root = null, fromAnother = null, selected = null } = conditions
  const named: Named = {
    ...(agent !== null && { agent: yield* digestOf('agent', agent) }),
    ...(selected !== null && { agents: yield* digestsOf(selected.agents) }),
    ...(credential !== null && { credential: yield* digestOf('credential', credential) }),
    ...(key !== null && { key: yield* digestOf('key', key) }),
    ...(scope !== null && { scope }),
    ...(keepScopes !== null && { keep_scopes: keepScopes }),
    ...(keepAudiences !== null && { keep_audiences: (yield* spellingsOf(keepAudiences)).map(idDigest) }),
    ...(before !== null && { before }),
    ...(root !== null && { root: tokenTail(root) }),
    ...(fromAnother === true && { from_another: true as const }),
  }
  if (audience === null) return [named]
  return (yield* spellingsOf([audience])).map(one => ({ ...named, audience: idDigest(one) }))
}
