// Applies what the service sends to what a follower holds: docs/apis/feed-protocol.md, "Documents", "Starting over" and "Forgetting".
import type { Members, Step, Verdict } from './case.ts'
import { type Facts, isCount, isMembers, judgeToken, readFacts } from './reference-match.ts'

type Range = readonly [from: number, to: number]

type Held = Facts & {
  readonly epoch: string
  /** The greatest time of the service in this epoch, in ms. */
  readonly now: number
  /** Null while segments are missing. */
  readonly position: number | null
  readonly missing: readonly Range[]
}

/** What a follower holds; undefined before the first snapshot. */
export type Follower = Held | undefined

const isRange = (value: unknown): value is Range => Array.isArray(value) && value.length === 2 && value.every(isCount)

const isChain = (ranges: readonly Range[], position: number): boolean => {
  const ends = [0, ...ranges.map(([, to]) => to)]
  return ranges.every(([from, to], n) => from === ends[n] && from < to) && ends.at(-1) === position
}

const readSnapshot = ({ epoch, now, position, segments }: Members): Follower => {
  if (typeof epoch !== 'string' || !isCount(now) || !isCount(position)) return undefined
  if (!Array.isArray(segments) || !segments.every(isRange) || !isChain(segments, position)) return undefined
  return { epoch, now, position: position === 0 ? 0 : null, missing: segments, ended: new Map(), cutOffs: [] }
}

const add = (held: Held, { ended, cutOffs }: Facts): Held => {
  const all = new Map(held.ended)
  for (const [exp, tails] of ended) all.set(exp, new Set([...(all.get(exp) ?? []), ...tails]))
  return { ...held, ended: all, cutOffs: [...held.cutOffs, ...cutOffs] }
}

/** Moves the time of the service on, and drops what is over by it. */
const passTime = (held: Held, time: unknown): Held => {
  const now = isCount(time) ? Math.max(held.now, time) : held.now
  const isOn = (second: number): boolean => now <= 1000 * second
  return {
    ...held,
    now,
    ended: new Map([...held.ended].filter(([exp]) => isOn(Number(exp)))),
    cutOffs: held.cutOffs.filter(({ until }) => isOn(until)),
  }
}

const applySegment = (held: Held, payload: Members): Held => {
  const [next, ...missing] = held.missing
  const facts = readFacts(payload)
  if (facts === undefined || payload['from'] !== next?.[0] || payload['to'] !== next?.[1]) return held
  return passTime(
    { ...add(held, facts), missing, position: missing.length === 0 ? (next?.[1] ?? null) : null },
    payload['now'],
  )
}

const applyChanges = (held: Held, payload: Members): Held => {
  const { from, to, now } = payload
  const facts = readFacts(payload)
  if (facts === undefined || held.position === null || !isCount(from) || !isCount(to)) return held
  const isNext = from <= to && from <= held.position && held.position <= to
  return isNext ? passTime({ ...add(held, facts), position: to }, now) : held
}

const SENT = { segment: applySegment, changes: applyChanges }

/** The follower after a step, or the verdict about a token. */
export const takeStep = (held: Follower, step: Step): { readonly held: Follower; readonly verdict?: Verdict } => {
  if (step.step === 'token') {
    if (held === undefined || held.position === null) return { held, verdict: 'ask' }
    return { held, verdict: judgeToken(held, step.header, step.claims) }
  }
  if (step.step === 'epoch_changed') return { held: undefined }
  if (step.step === 'snapshot') return { held: readSnapshot(step.payload) }
  if (held === undefined || !isMembers(step.payload) || step.payload['epoch'] !== held.epoch) return { held }
  return { held: step.step === 'head' ? passTime(held, step.payload['now']) : SENT[step.step](held, step.payload) }
}
