// A token, and each of its ancestors, as what the facts of the feed are compared with.
import { encodeDigest, sha256Text } from '../proofs/digest.ts'
import type { Ancestor, Claims } from '../readers/claim-types.ts'
import { audiencesOf, scopesOf } from '../tokens/claims.ts'
import type { Tail } from './ended-tails.ts'

/** A token as cut-offs see it. Undefined is unknown: scope and audience of an ancestor, and what the claims of any do not state. */
export type Subject = {
  readonly id: string
  /** The id of the first token of its lineage: its own where there is no other. */
  readonly rootId: string
  readonly exp: number
  readonly seq: number | undefined
  readonly agent: string
  /** The digest of `sub`; an ancestor has that of the token. */
  readonly subject: string
  /** The digest of the alias that `sub` begins with; empty where `sub` is the id of an agent. */
  readonly issuer: string
  readonly credential: string | undefined
  readonly key: string
  readonly scopes: readonly string[] | undefined
  readonly audiences: readonly string[] | undefined
  readonly isFromAnother: boolean
}

const DIGEST_BYTES = 8
const DIGESTS_CACHED_MAX = 10_000

/** Digests of ids as the feed writes them. Those of agents, credentials, keys and audiences come again and again. */
export const makeDigests = (cachedMax = DIGESTS_CACHED_MAX) => {
  let cached = new Map<string, string>()
  const compute = async (text: string): Promise<void> => {
    cached.set(text, encodeDigest((await sha256Text(text)).subarray(0, DIGEST_BYTES)))
  }
  const of = (text: string): string => {
    const digest = cached.get(text)
    if (digest === undefined) throw new Error('A digest was used before it was computed.')
    return digest
  }
  /** Returns the digests of these texts; undefined while one of them must be computed first. */
  const lookUp = (texts: readonly string[]): ((text: string) => string) | undefined =>
    texts.every(text => cached.has(text)) ? of : undefined
  const computeAll = async (texts: readonly string[]): Promise<(text: string) => string> => {
    if (cached.size >= cachedMax) cached = new Map()
    const own = cached
    await Promise.all(texts.filter(text => !own.has(text)).map(compute))
    // Others may have cleared what is cached meanwhile.
    return own === cached ? of : computeAll(texts)
  }
  return { lookUp, computeAll }
}

export type Digests = ReturnType<typeof makeDigests>

/** The last 8 bytes of an id, in hexadecimal digits. */
export const tailDigits = (id: string): string => id.slice(19, 23) + id.slice(24)

/** Returns the tail of an id as numbers. */
export const tailOf = (id: string): Tail => ({
  high: Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16),
  low: Number.parseInt(id.slice(28), 16),
})

/** When an id was made, in ms since 1970: its first 48 bits (RFC 9562 §5.7). */
export const issuedMsOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

type Named = Pick<Ancestor, 'id' | 'exp' | 'kid'> & {
  readonly seq: number | undefined
  readonly agentId: string
  readonly credentialId: string | undefined
  /** Its own ancestors, the parent first. */
  readonly lineage: readonly Ancestor[]
}

type DigestOf = (text: string) => string

/** The alias of a subject `ALIAS:SUB`; undefined for the id of an agent. */
const aliasIn = (sub: string): string | undefined => (sub.includes(':') ? sub.slice(0, sub.indexOf(':')) : undefined)

const namedOf = (digest: DigestOf, named: Named) => {
  const { id, exp, seq, agentId, credentialId, kid, lineage } = named
  const [parent] = lineage
  return {
    id,
    rootId: lineage.at(-1)?.id ?? id,
    exp,
    seq,
    agent: digest(agentId),
    credential: credentialId === undefined ? undefined : digest(credentialId),
    key: digest(kid),
    isFromAnother: parent !== undefined && parent.agent_id !== agentId,
  }
}

const ancestorOf = (digest: DigestOf, ancestor: Ancestor, lineage: readonly Ancestor[]) => {
  const { id, exp, seq, kid, agent_id: agentId, credential_id: credentialId } = ancestor
  const named = namedOf(digest, { id, exp, seq, kid, agentId, credentialId, lineage })
  return { ...named, scopes: undefined, audiences: undefined }
}

const textsIn = (claims: Claims, agentId: string, kid: string): readonly string[] => {
  const { sub, credential_id: credentialId, lineage } = claims
  const alias = aliasIn(sub)
  const texts = [agentId, sub, kid, ...audiencesOf(claims)]
  if (alias !== undefined) texts.push(alias)
  if (credentialId !== undefined) texts.push(credentialId)
  for (const ancestor of lineage ?? []) texts.push(ancestor.agent_id, ancestor.credential_id, ancestor.kid)
  return texts
}

const build = (digest: DigestOf, claims: Claims, agentId: string, kid: string): readonly Subject[] => {
  const { jti: id, sub, exp, seq, credential_id: credentialId, lineage = [] } = claims
  const alias = aliasIn(sub)
  const shared = { subject: digest(sub), issuer: alias === undefined ? '' : digest(alias) }
  const own = namedOf(digest, { id, exp, seq, kid, agentId, credentialId, lineage })
  const scopes = claims.scope === undefined ? undefined : scopesOf(claims)
  const audiences = audiencesOf(claims).map(digest)
  const ancestors = lineage.map((ancestor, n) => ancestorOf(digest, ancestor, lineage.slice(n + 1)))
  return [{ ...own, scopes, audiences }, ...ancestors].map(each => ({ ...each, ...shared }))
}

/** The token first, then its ancestors, the parent first. `kid` is that of its header. At once where all digests are known. */
export const subjectsOf = (
  digests: Digests,
  claims: Claims,
  kid: string,
): readonly Subject[] | Promise<readonly Subject[]> => {
  // An imported agent has a `client_id` of its own.
  const agentId = claims.act?.sub ?? claims.sub
  const texts = textsIn(claims, agentId, kid)
  const known = digests.lookUp(texts)
  if (known !== undefined) return build(known, claims, agentId, kid)
  return digests.computeAll(texts).then(digest => build(digest, claims, agentId, kid))
}
