// Starts requests no faster than the thread can serve them. A turn of the event loop serves whatever has arrived, so that
// under a flood each turn, and with it everybody's answer, takes as long as the flood is wide. Here a turn starts a limited
// number of requests; the others wait in one queue a kind, and what would wait too long is refused at once.
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { type FairQueue, makeFairQueue } from '../../domain/fair-queue.ts'
import type { Timing } from '../../ports/timing.ts'

const STARTED_MIN = 8
const STARTED_MAX = 256
const STARTED_AT_FIRST = 64
/** How many requests of each kind wait in one thread: each takes some 4 kB. Each kind has a bound of its own, so that one cannot take the room of another. */
const WAITING_MAX = { probe: 512, known: 4096, revocation: 1024, open: 8192 } as const
/** How many of a kind are started in each turn at most, beyond the room that all kinds share: each kind can arrive in a flood. */
const STARTED_A_TURN = { probe: 64, known: 256, revocation: 16 } as const
/** Revocations, which may be as slow as open requests, are started so many times fewer: long turns are of both. */
const REVOCATION_PART = 4
/** A turn that started fewer, while none waits, says nothing about the load. */
const MEASURED_FROM = 8
/** How many are started in a millisecond, where nothing is measured yet. */
const PER_MS = 5
/** How much of the newest measurement the average takes. */
const WEIGHT = 0.2

/**
 * No kind waits behind another. `probe`: of health, the keys and the metadata. `known`: of a caller whose credential was good
 * lately. `revocation`: of anybody, since a client that ends its own token has its credential in the body. `open`: all others.
 */
export type Kind = keyof typeof WAITING_MAX

type Waiting<Request> = { readonly request: Request; readonly arrivedAt: number }

/** `perMs`: how many it starts in a millisecond while some wait, an average. */
type KindQueue<Request> = {
  readonly kind: Kind
  readonly queue: FairQueue<Waiting<Request>>
  readonly waitingMax: number
  started: number
  startedMax: number
  perMs: number
}

const makeKindQueue = <Request>(kind: Kind, startedMax: number): KindQueue<Request> => ({
  kind,
  queue: makeFairQueue(),
  waitingMax: WAITING_MAX[kind],
  started: 0,
  startedMax,
  perMs: PER_MS,
})

type KindQueues<Request> = Readonly<Record<Kind, KindQueue<Request>>>

const makeKindQueues = <Request>(): KindQueues<Request> => ({
  probe: makeKindQueue('probe', STARTED_A_TURN.probe),
  known: makeKindQueue('known', STARTED_A_TURN.known),
  revocation: makeKindQueue('revocation', STARTED_A_TURN.revocation),
  open: makeKindQueue('open', STARTED_AT_FIRST),
})

const hasRoom = <Request>({ queue, started, startedMax }: KindQueue<Request>): boolean =>
  queue.size() === 0 && started < Math.floor(startedMax)

const measure = <Request>(kindQueue: KindQueue<Request>, turnMs: number): void => {
  if (kindQueue.queue.size() > 0)
    kindQueue.perMs += WEIGHT * (kindQueue.started / Math.max(turnMs, 0.1) - kindQueue.perMs)
}

/** Fewer a turn where turns take too long, more where they are short and requests wait. */
const adapt = <Request>({ open, revocation }: KindQueues<Request>, turnMs: number, turnMsMax: number): void => {
  const isWaiting = open.queue.size() + revocation.queue.size() > 0
  if (turnMs > turnMsMax) open.startedMax = Math.max(STARTED_MIN, open.startedMax * Math.max(0.5, turnMsMax / turnMs))
  else if (isWaiting) open.startedMax = Math.min(STARTED_MAX, open.startedMax * 1.1 + 1)
  revocation.startedMax = Math.min(STARTED_A_TURN.revocation, Math.floor(open.startedMax / REVOCATION_PART))
}

type StartQueue<Request> = {
  /** Starts the request, which is read at this time, now or in a later turn, or refuses it. */
  readonly admit: (request: Request, at: number) => void
  /** Whether requests wait, or turns are long. */
  readonly isBusy: () => boolean
  /** For how long a request that is read now may have waited to be read, in ms. */
  readonly unreadMs: () => number
}

/** Asked and called for one request each. `now` in ms. */
type Starting<Request> = {
  readonly now: () => number
  readonly nextTurn: (work: () => void) => void
  readonly kindOf: (request: Request) => Kind
  readonly networkOf: (request: Request) => string
  readonly start: (request: Request, at: number) => void
  /** In place of `start`. */
  readonly refuse: (request: Request) => void
  readonly timing: Pick<Timing, 'startTurnMs' | 'startWaitMs'>
  readonly metrics?: Metrics
}

/** Under load each request comes by: the series of its kind are opened once. */
const openSeries = (metrics: Metrics, kind: Kind) => ({
  countShed: metrics.counter('mintmark_requests_shed_total', { kind }),
  observeWait: metrics.histogram('mintmark_start_wait_seconds', { kind }),
  setWaiting: metrics.gauge('mintmark_start_queue_requests', { kind }),
})

/** What a queue does with a request, and counts of it. */
type Ends<Request> = Pick<Starting<Request>, 'start' | 'timing'> & {
  readonly shed: (request: Request, kind: Kind) => void
  readonly series: Readonly<Record<Kind, ReturnType<typeof openSeries>>>
}

const makeEnds = <Request>({ start, refuse, timing, metrics = NO_METRICS }: Starting<Request>): Ends<Request> => {
  const open = (kind: Kind) => openSeries(metrics, kind)
  const series = { probe: open('probe'), known: open('known'), revocation: open('revocation'), open: open('open') }
  return {
    start,
    timing,
    shed: (request, kind) => {
      series[kind].countShed()
      refuse(request)
    },
    series,
  }
}

const startWaiting = <Request>(
  kindQueue: KindQueue<Request>,
  at: number,
  { start, shed, series, timing }: Ends<Request>,
): void => {
  const { kind, queue } = kindQueue
  const { observeWait, setWaiting } = series[kind]
  const waited = queue.size() > 0
  kindQueue.started = 0
  while (kindQueue.started < Math.floor(kindQueue.startedMax)) {
    const next = queue.take()
    if (next === undefined) break
    if (at - next.arrivedAt > 2 * timing.startWaitMs) shed(next.request, kind)
    else {
      observeWait((at - next.arrivedAt) / 1000)
      kindQueue.started += 1
      start(next.request, at)
    }
  }
  if (waited) setWaiting(queue.size())
}

/** The queue of one thread. */
export const makeStartQueue = <Request>(starting: Starting<Request>): StartQueue<Request> => {
  const { now, nextTurn, kindOf, networkOf, timing } = starting
  const ends = makeEnds(starting)
  const { start, shed, series } = ends
  const byKind = makeKindQueues<Request>()
  const { open } = byKind
  const kindQueues = Object.values(byKind)
  // Null where the thread may have rested since.
  let turnBeganAt: number | null = null
  let isScheduled = false
  let lastTurnMs = 0

  const size = (): number => kindQueues.reduce((sum, { queue }) => sum + queue.size(), 0)
  const started = (): number => kindQueues.reduce((sum, kindQueue) => sum + kindQueue.started, 0)

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    nextTurn(endTurn)
  }

  const endTurn = (): void => {
    isScheduled = false
    const at = now()
    lastTurnMs = turnBeganAt === null ? 0 : at - turnBeganAt
    if (turnBeganAt !== null) {
      for (const kindQueue of kindQueues) measure(kindQueue, lastTurnMs)
      adapt(byKind, lastTurnMs, timing.startTurnMs)
    }
    const isLoaded = size() > 0 || started() >= MEASURED_FROM
    turnBeganAt = isLoaded ? at : null
    for (const kindQueue of kindQueues) startWaiting(kindQueue, at, ends)
    if (isLoaded) schedule()
  }

  const wait = (kindQueue: KindQueue<Request>, request: Request, at: number): void => {
    const { queue, waitingMax, kind, perMs } = kindQueue
    const max = Math.min(waitingMax, Math.floor(perMs * timing.startWaitMs) + 1)
    const left = queue.push(networkOf(request), { request, arrivedAt: at }, max)
    if (left !== undefined) shed(left.request, kind)
    series[kind].setWaiting(queue.size())
  }

  return {
    admit: (request, at) => {
      schedule()
      const kindQueue = hasRoom(open) ? open : byKind[kindOf(request)]
      if (!hasRoom(kindQueue)) return wait(kindQueue, request, at)
      kindQueue.started += 1
      start(request, at)
    },
    isBusy: () => size() > 0 || lastTurnMs > timing.startTurnMs,
    unreadMs: () => lastTurnMs,
  }
}
