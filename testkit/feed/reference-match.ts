// Compares tokens with the facts of the revocation feed: docs/apis/feed-protocol.md line by line, for clarity and not for speed.
import { createHash } from 'node:crypto'
import type { Members, Verdict } from './case.ts'

export type CutOff = Members & { readonly seq: number; readonly until: number }
/** Tokens that ended one by one, as tails by `exp`, and cut-offs. */
export type Facts = { readonly ended: ReadonlyMap<string, ReadonlySet<string>>; readonly cutOffs: readonly CutOff[] }
/** A token or an ancestor, by the names of a token's claims, with its `agent`; `undefined` is not known. */
type Subject = Members & { readonly ancestors: readonly Subject[] }
type Truth = boolean | 'unknown'
type Condition = (value: unknown, subject: Subject) => Truth | 'malformed'

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

const isDigest = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{11}$/.test(value)
const areDigests = (value: unknown): value is readonly string[] => isTexts(value) && value.every(isDigest)

const digest = (text: string): string => createHash('sha256').update(text).digest().subarray(0, 8).toString('base64url')

const TAIL_BYTES = 8
const BASE64URL = /^[\w-]*$/
const DECIMAL = /^[0-9]+$/
const TOKEN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const bytesOf = (id: unknown): Buffer | undefined =>
  typeof id === 'string' && TOKEN_ID.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : undefined
const tailOf = (id: unknown): string | undefined => bytesOf(id)?.subarray(TAIL_BYTES).toString('base64url')

const readTails = (text: unknown): ReadonlySet<string> | undefined => {
  if (typeof text !== 'string' || !BASE64URL.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length % TAIL_BYTES !== 0 || bytes.toString('base64url') !== text) return undefined
  const tails = Array.from({ length: bytes.length / TAIL_BYTES }, (_, n) => bytes.subarray(n * 8, n * 8 + 8))
  return new Set(tails.map(tail => tail.toString('base64url')))
}

const isCutOff = (value: unknown): value is CutOff =>
  isMembers(value) && isCount(value['seq']) && isCount(value['until'])

/** The facts of a document of changes or a segment; nothing where it is malformed. */
export const readFacts = ({ ended, cut_offs: cutOffs }: Members): Facts | undefined => {
  if (!isMembers(ended) || !Array.isArray(cutOffs) || !cutOffs.every(isCutOff)) return undefined
  const read = new Map<string, ReadonlySet<string>>()
  for (const [exp, text] of Object.entries(ended)) {
    const tails = readTails(text)
    if (tails === undefined || !DECIMAL.test(exp)) return undefined
    read.set(exp, tails)
  }
  return { ended: read, cutOffs }
}

const matches = (item: string, pattern: string): boolean =>
  pattern === '*' || (pattern.endsWith(':*') ? item.startsWith(pattern.slice(0, -1)) : item === pattern)

/** The claims `scope` and `aud`, in one form. */
const itemsOf = ({ scope }: Subject): readonly string[] | undefined =>
  typeof scope === 'string' ? scope.split(' ') : undefined
const audiencesOf = ({ aud }: Subject): readonly string[] | undefined => {
  const audiences = typeof aud === 'string' ? [aud] : aud
  return isTexts(audiences) ? audiences : undefined
}

const oneOf = (claim: unknown, digests: readonly string[]): Truth =>
  typeof claim === 'string' ? digests.includes(digest(claim)) : 'unknown'

const byDigest =
  (claim: string): Condition =>
  (value, subject) =>
    isDigest(value) ? oneOf(subject[claim], [value]) : 'malformed'

/** A subject of an issuer is `ALIAS:SUB`; the id of an agent has no colon. */
const isOfIssuer: Condition = (value, { sub }) => {
  if (!isDigest(value)) return 'malformed'
  if (typeof sub !== 'string') return 'unknown'
  const [alias = '', ...rest] = sub.split(':')
  return rest.length > 0 && digest(alias) === value
}

const isBefore: Condition = (value, { jti }) => {
  if (!isCount(value)) return 'malformed'
  const bytes = bytesOf(jti)
  return bytes === undefined ? 'unknown' : bytes.readUIntBE(0, 6) < value
}

const isOfRoot: Condition = (value, subject) => {
  if (!isDigest(value)) return 'malformed'
  const tail = tailOf((subject.ancestors.at(-1) ?? subject)['jti'])
  return tail === undefined ? 'unknown' : tail === value
}

const isFromAnother: Condition = (value, { agent, ancestors: [parent] }) => {
  if (value !== true) return 'malformed'
  if (parent === undefined) return false
  const { agent: giver } = parent
  return typeof agent === 'string' && typeof giver === 'string' ? agent !== giver : 'unknown'
}

const CONDITIONS: ReadonlyMap<string, Condition> = new Map<string, Condition>([
  ['agent', byDigest('agent')],
  ['agents', (value, { agent }) => (areDigests(value) ? oneOf(agent, value) : 'malformed')],
  ['subject', byDigest('sub')],
  ['issuer', isOfIssuer],
  ['credential', byDigest('credential_id')],
  ['key', byDigest('kid')],
  [
    'scope',
    (value, it) =>
      typeof value === 'string' ? (itemsOf(it)?.some(item => matches(item, value)) ?? 'unknown') : 'malformed',
  ],
  [
    'keep_scopes',
    (value, it) =>
      isTexts(value) ? (itemsOf(it)?.some(item => !value.some(kept => matches(item, kept))) ?? 'unknown') : 'malformed',
  ],
  [
    'audience',
    (value, it) => (isDigest(value) ? (audiencesOf(it)?.some(one => digest(one) === value) ?? 'unknown') : 'malformed'),
  ],
  [
    'keep_audiences',
    (value, it) =>
      areDigests(value) ? (audiencesOf(it)?.some(one => !value.includes(digest(one))) ?? 'unknown') : 'malformed',
  ],
  ['before', isBefore],
  ['root', isOfRoot],
  ['from_another', isFromAnother],
  ['opened', value => (value === true ? 'unknown' : 'malformed')],
])

const judgeCutOff = ({ seq, until, ...conditions }: CutOff, subject: Subject): Verdict => {
  const { seq: own, exp } = subject
  if (isCount(own) && own >= seq) return 'live'
  const results = Object.entries(conditions).map(
    ([name, value]) => CONDITIONS.get(name)?.(value, subject) ?? 'malformed',
  )
  const doubt = isCount(exp) && exp > until ? 'live' : 'ask'
  if (results.includes('malformed')) return doubt
  if (results.includes(false)) return 'live'
  return results.includes('unknown') || !isCount(own) ? doubt : 'ended'
}

const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes('ended') ? 'ended' : verdicts.includes('ask') ? 'ask' : 'live'

const judge = (facts: Facts, subject: Subject): Verdict => {
  const { jti, exp, ancestors } = subject
  const tail = tailOf(jti)
  const single =
    tail === undefined || !isCount(exp) ? 'ask' : facts.ended.get(String(exp))?.has(tail) ? 'ended' : 'live'
  const byCutOffs = facts.cutOffs.map(cutOff => judgeCutOff(cutOff, subject))
  const [parent] = ancestors
  return worst([single, ...byCutOffs, parent === undefined ? 'live' : judge(facts, parent)])
}

/** The ancestors, the parent first, each with those that follow it. Their subject is that of the token. */
const readLineage = (lineage: unknown, sub: unknown): readonly Subject[] | undefined => {
  if (!Array.isArray(lineage) || lineage.length === 0 || !lineage.every(isMembers)) return undefined
  return lineage.reduceRight<readonly Subject[]>((ancestors, { id, agent_id, ...rest }: Members) => {
    const { exp, seq, credential_id, kid } = rest
    return [{ jti: id, exp, seq, sub, agent: agent_id, credential_id, kid, ancestors }, ...ancestors]
  }, [])
}

/** What to do with a token whose signature and claims were verified. */
export const judgeToken = (facts: Facts & { readonly now: number }, header: Members, claims: Members): Verdict => {
  // What ended such a token may be forgotten.
  if (1000 * Number(claims['exp']) < facts.now) return 'ended'
  const { lineage, act, ...own } = claims
  // The actor is the agent that holds the token (RFC 8693 §4.1).
  const agent = act === undefined ? own['sub'] : isMembers(act) ? act['sub'] : undefined
  const ancestors = lineage === undefined ? [] : readLineage(lineage, own['sub'])
  const verdict = judge(facts, { ...own, agent, kid: header['kid'], ancestors: ancestors ?? [] })
  return ancestors === undefined ? worst([verdict, 'ask']) : verdict
}
