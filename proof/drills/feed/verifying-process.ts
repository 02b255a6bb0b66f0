// One process of verifiers: it verifies the tokens that the drill names over and over, and reports what was said of them.
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifier, type Verifier } from '../../../packages/verify/src/index.ts'
import { type Answer, makeTally, note, type Sighting, type Tally } from './watched-token.ts'

export type Settings = {
  readonly issuer: string
  readonly apiKey: string
  readonly verifiers: number
  /** The port that requests go to in place of that of the issuer. */
  readonly port: number
  readonly maxStaleness: number
}

/** What the drill asks, each with a number that its reply repeats. */
export type Asked =
  | { readonly n: number; readonly kind: 'start'; readonly settings: Settings }
  /** Replied to once each verifier has accepted it, or when the time is up. */
  | { readonly n: number; readonly kind: 'watch'; readonly id: number; readonly token: string }
  | { readonly n: number; readonly kind: 'report'; readonly id: number }
  | { readonly n: number; readonly kind: 'counts' }
  | { readonly n: number; readonly kind: 'step'; readonly ms: number }

export type Counts = { verifications: number; accepted: number; ended: number; unknown: number; problems: number }

export type Reply = {
  readonly n: number
  readonly sightings: readonly Sighting[]
  readonly counts: Counts
  readonly fresh: number
  /** Verifiers that follow by long polls now. */
  readonly polling: number
}

type Watched = { readonly token: string; readonly tallies: readonly Tally[] }

const TICK_MS = 5
/** A live token, and one that all have refused, is verified once in so many ticks. */
const TICKS_APART = 10
const READY_MS_MAX = 15_000
const ACCEPTED_MS_MAX = 5000
const TICKS_MAX = Math.ceil(ACCEPTED_MS_MAX / TICK_MS)

const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** What the clock of this process is ahead of that of the machine. */
let aheadMs = 0
const readClock = Date.now
Date.now = () => readClock() + aheadMs

const counts: Counts = { verifications: 0, accepted: 0, ended: 0, unknown: 0, problems: 0 }
const watched = new Map<number, Watched>()
let verifiers: readonly Verifier[] = []

const answerOf = (result: Awaited<ReturnType<Verifier['verify']>>): Answer => {
  if (result.ok) return 'accepted'
  return result.refusal === 'revoked' || result.refusal === 'inactive' ? 'ended' : 'unknown'
}

const verifyOnce = async (token: string, tallies: readonly Tally[]): Promise<void> => {
  const check = async (verifier: Verifier, index: number): Promise<void> => {
    const beganAt = now()
    const answer = answerOf(await verifier.verify(token))
    const tally = tallies[index]
    if (tally !== undefined) note(tally, answer, beganAt, now())
    counts.verifications += 1
    counts[answer] += 1
  }
  await Promise.all(verifiers.map(check))
}

/** The token that lives on has no number. */
const isUrgent = (id: number, { tallies }: Watched): boolean =>
  id > 0 && tallies.some(({ endedAt }) => endedAt === null)

const verifyOn = async (): Promise<void> => {
  for (let tick = 0; ; tick += 1) {
    for (const [id, one] of watched) {
      if (isUrgent(id, one) || tick % TICKS_APART === 0) await verifyOnce(one.token, one.tallies)
    }
    await delay(TICK_MS)
  }
}

// As if the name of the service led to another address: the issuer stays what it is.
const makeFetch =
  ({ issuer, port }: Settings) =>
  (url: string, init: RequestInit): Promise<Response> => {
    const target = new URL(url)
    if (target.origin === new URL(issuer).origin) target.port = String(port)
    return fetch(target, init)
  }

const start = async (settings: Settings): Promise<void> => {
  const { issuer, apiKey, maxStaleness } = settings
  const hooks = {
    failed: () => {
      counts.problems += 1
    },
  }
  const options = { issuer, audience: issuer, apiKey, maxStaleness, whenStale: 'refuse', hooks } as const
  verifiers = Array.from({ length: settings.verifiers }, (_, index) =>
    createVerifier({ ...options, name: `${process.pid}-${index}`, fetch: makeFetch(settings) }),
  )
  await Promise.all(verifiers.map(verifier => verifier.ready(READY_MS_MAX)))
  void verifyOn()
}

const watch = async (id: number, token: string): Promise<void> => {
  const tallies = verifiers.map(makeTally)
  watched.set(id, { token, tallies })
  for (let tick = 0; tick < TICKS_MAX && tallies.some(({ acceptedAt }) => acceptedAt === null); tick += 1) {
    await delay(TICK_MS)
  }
}

const report = (id: number): readonly Sighting[] => {
  const { tallies = [] } = watched.get(id) ?? {}
  watched.delete(id)
  return tallies
}

const take = async (asked: Asked): Promise<readonly Sighting[]> => {
  if (asked.kind === 'start') await start(asked.settings)
  if (asked.kind === 'step') aheadMs += asked.ms
  if (asked.kind === 'watch') await watch(asked.id, asked.token)
  return asked.kind === 'report' ? report(asked.id) : []
}

process.on('message', (asked: Asked) => {
  const respond = async (): Promise<void> => {
    const sightings = await take(asked)
    const states = verifiers.map(verifier => verifier.status())
    const fresh = states.filter(({ isFresh }) => isFresh).length
    const polling = states.filter(({ transport }) => transport === 'long poll').length
    const reply: Reply = { n: asked.n, sightings, counts, fresh, polling }
    process.send?.(reply)
  }
  void respond()
})
// Without the drill there is nobody to report to.
process.once('disconnect', () => process.exit())
