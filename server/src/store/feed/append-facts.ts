// In this folder: the revocation feed in the store: facts, added in the transaction of their act; and where verifiers say they are.
// Adds to the revocation feed what a transaction ends: the same commit makes both true. The lock that orders acts orders positions.
import type { CutOffFact, IdDigest, TokenTail } from '../../domain/ledger/cut-off-fact.ts'
import type { CutOff, CutOffConditions } from '../../domain/ledger/ledger.ts'
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import { expiryOf, type TokenRow } from '../ledger/token-rows.ts'
import { only, run, type Program, all, first } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { createHash } from 'node:crypto'
import { subjectClaim } from '../../domain/ledger/token-subject.ts'
import { spellingsOf } from '../ledger/interned-sets.ts'
import { readPrincipal } from '../ledger/principals.ts'
import { bytesOfId } from '../rows.ts'

// Removes facts of the revocation feed that concern no token any more. A follower at an earlier position misses nothing.

/** How long a fact is kept beyond its time, so that a verifier whose requests are under way still finds it. */
const KEPT_SECONDS = 60
const STEP_ROWS = 500

const lastOver = (now: Milliseconds): number => Math.floor(now / 1000) - KEPT_SECONDS

const OLD = 'select 1 as found from fact where until < ? limit 1'
const REMOVE = 'delete from fact where n in (select n from fact where until < ? order by until limit ?)'

export function* areFactsOver(now: Milliseconds): Program<boolean> {
  return (yield* first(OLD, lastOver(now))) !== undefined
}

/** Removes facts in one step. Returns whether there may be more to do. */
export function* removeFacts(now: Milliseconds): Program<'more' | 'nothing_left'> {
  return (yield* run(REMOVE, lastOver(now), STEP_ROWS)) < STEP_ROWS ? 'nothing_left' : 'more'
}

// How the revocation feed names things: short digests of public ids, the tails of token ids, and the conditions of a cut-off
// by the names that a verifier finds in tokens, instead of the store's numbers.

const BYTES = 8
const ID_BYTES = 16

const idDigest = (id: string): IdDigest =>
  createHash('sha256').update(id).digest().subarray(0, BYTES).toString('base64url')

/** Returns the tail of an id as it is stored. */
const tailBytes = (id: Uint8Array): Uint8Array => id.subarray(ID_BYTES - BYTES)

const tokenTail = (id: string): TokenTail => Buffer.from(tailBytes(bytesOfId(id))).toString('base64url')

type Named = Omit<CutOffFact, 'seq' | 'until' | 'opened'>

const NAME = {
  agent: 'select id as name from agent where n = ?',
  credential: 'select id as name from credential where n = ?',
  key: 'select kid as name from signing_key where n = ?',
  issuer: 'select alias as name from trusted_issuer where n = ?',
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

function* subjectDigest(n: number): Program<string> {
  const principal = yield* readPrincipal(n)
  if (principal === undefined) throw new Error('A cut-off names a principal that is not there.')
  return idDigest(subjectClaim(principal))
}

/**
 * Facts that hold for the same tokens together as the conditions of which a token may fulfil one of several: each spelling of an
 * audience, each issuer, each principal. A verifier compares one digest with one claim.
 */
function* alternativesOf({ audience, issuers = null, principals = null }: CutOffConditions): Program<readonly Named[]> {
  const asked: Named[][] = []
  if (audience !== null) asked.push((yield* spellingsOf([audience])).map(one => ({ audience: idDigest(one) })))
  const ofIssuers: Named[] = []
  for (const n of issuers ?? []) ofIssuers.push({ issuer: yield* digestOf('issuer', n) })
  if (issuers !== null) asked.push(ofIssuers)
  const ofPrincipals: Named[] = []
  for (const n of principals ?? []) ofPrincipals.push({ subject: yield* subjectDigest(n) })
  if (principals !== null) asked.push(ofPrincipals)
  return asked.reduce<readonly Named[]>(
    (facts, some) => facts.flatMap(fact => some.map(one => ({ ...fact, ...one }))),
    [{}],
  )
}

/** Each condition that the cut-off has, and no other: one that is left out would end tokens that live. */
function* nameConditions(conditions: CutOffConditions): Program<readonly Named[]> {
  const { agent, credential, key, scope, keepScopes, keepAudiences, before } = conditions
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
  return (yield* alternativesOf(conditions)).map(one => ({ ...named, ...one }))
}

/** Clocks of processes that share a database may be so far apart, and the second of an expiry is rounded. */
const CLOCKS_APART_SECONDS = 4
/** Tokens of one fact, so that a page of whole positions is never much larger than it should be. */
const TAILS_MAX = 4096

const TAKE = 'update service set feed_position = feed_position + ?, last_at = ? returning feed_position as last'
const INSERT = 'insert into fact (position, until, tails, cutoff) values (?, ?, ?, ?)'

type Moment = Pick<Transaction, 'now'>

/** Takes so many positions, which follow one another, and stamps the time; returns the first of them. */
function* takePositions({ now }: Moment, count: number): Program<number> {
  return (yield* only<{ last: number }>(TAKE, count, now)).last - count + 1
}

type Ended = Pick<TokenRow, 'id' | 'life'>

/** The tails of tokens that end one by one, as many to a fact as it may hold. */
const tailsOf = (rows: readonly Ended[]) =>
  [...Map.groupBy(rows, expiryOf)].flatMap(([until, some]) =>
    Array.from({ length: Math.ceil(some.length / TAILS_MAX) }, (_, n) => {
      const ended = some.slice(n * TAILS_MAX, (n + 1) * TAILS_MAX)
      return { until, tails: Buffer.concat(ended.map(({ id }) => tailBytes(id))) }
    }),
  )

/** Adds tokens that this transaction ends one by one, not those that follow another end. */
export function* appendEnds(moment: Moment, rows: readonly Ended[]): Program<void> {
  if (rows.length === 0) return
  const facts = tailsOf(rows)
  const start = yield* takePositions(moment, facts.length)
  for (const [n, { until, tails }] of facts.entries()) yield* run(INSERT, start + n, until, tails, null)
}

const LONGEST = 'select coalesce(max(life), 0) as life from lifetime'

/**
 * No token that was decided on before a cut-off at `at` expires later: its lifetime was in use at that time. A cut-off of every token may
 * also be that of a restore, and end tokens of lifetimes that the restored store does not know.
 */
function* lastExpiry(at: Milliseconds, isOfKnown: boolean): Program<Seconds> {
  const life = isOfKnown ? (yield* only<{ life: number }>(LONGEST)).life : LIFETIME_SECONDS_MAX
  return Math.ceil(at / 1000) + life + CLOCKS_APART_SECONDS
}

const appendFact = function* (moment: Moment, fact: CutOffFact): Program<number> {
  const position = yield* takePositions(moment, 1)
  yield* run(INSERT, position, fact.until, null, JSON.stringify(fact))
  return position
}

/** Adds a cut-off; the position from which on all of it is known. */
export function* appendCutOff(moment: Moment, cutOff: CutOff): Program<number> {
  const named = yield* nameConditions(cutOff)
  // Where a clock was far ahead, tokens expire by that clock.
  const until = yield* lastExpiry(
    Math.max(moment.now, cutOff.at),
    named.some(one => Object.keys(one).length > 0),
  )
  let position = 0
  for (const one of named) position = yield* appendFact(moment, { seq: cutOff.seq, until, ...one })
  return position
}

/** Says that what ended before `seq` may not be in the feed. */
export const appendOpening = (moment: Moment, seq: number): Program<number> =>
  appendFact(moment, {
    seq,
    until: Math.ceil(moment.now / 1000) + LIFETIME_SECONDS_MAX + CLOCKS_APART_SECONDS,
    opened: true,
  })
