// Starts requests no faster than the thread can serve them. A turn of the event loop serves whatever has arrived, so that
// under a flood each turn, and with it everybody's answer, takes as long as the flood is wide. Here a turn starts a limited
// number of requests; the others wait in lanes, and what would wait too long is refused at once.
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import { type FairQueue, makeFairQueue } from '../../domain/fair-queue.ts'

/** How long a turn may take; the number of open requests that it starts follows. */
const TURN_MS = 4
const STARTED_MIN = 8
const STARTED_MAX = 256
const STARTED_AT_FIRST = 64
/** What would wait longer is refused on arrival. */
export const WAIT_MS_MAX = 1000
/** Of one thread, in memory: each takes some 4 kB. One kind never waits for want of room that others have taken. */
export const WAITING_MAX = { probe: 512, known: 4096, revocation: 1024, open: 8192 } as const
/** How many of a kind are started in each turn at most, besides those that there is room for among all: each comes in numbers too. */
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
type Lane<Request> = {
  readonly kind: Kind
  readonly queue: FairQueue<Waiting<Request>>
  readonly waitingMax: number
  started: number
  startedMax: number
  perMs: number
}

const makeLane = <Request>(kind: Kind, startedMax: number): Lane<Request> => ({
  kind,
  queue: makeFairQueue(),
  waitingMax: WAITING_MAX[kind],
  started: 0,
  startedMax,
  perMs: PER_MS,
})

type Lanes<Request> = Readonly<Record<Kind, Lane<Request>>>

const makeLanes = <Request>(): Lanes<Request> => ({
  probe: makeLane('probe', STARTED_A_TURN.probe),
  known: makeLane('known', STARTED_A_TURN.known),
  revocation: makeLane('revocation', STARTED_A_TURN.revocation),
  open: makeLane('open', STARTED_AT_FIRST),
})

const hasRoom = <Request>({ queue, started, startedMax }: Lane<Request>): boolean =>
  queue.size() === 0 && started < Math.floor(startedMax)

const measure = <Request>(lane: Lane<Request>, turnMs: number): void => {
  if (lane.queue.size() > 0) lane.perMs += WEIGHT * (lane.started / Math.max(turnMs, 0.1) - lane.perMs)
}

/** Fewer a turn where turns take too long, more where they are short and requests wait. */
const adapt = <Request>({ open, revocation }: Lanes<Request>, turnMs: number): void => {
  const isWaiting = open.queue.size() + revocation.queue.size() > 0
  if (turnMs > TURN_MS) open.startedMax = Math.max(STARTED_MIN, open.startedMax * Math.max(0.5, TURN_MS / turnMs))
  else if (isWaiting) open.startedMax = Math.min(STARTED_MAX, open.startedMax * 1.1 + 1)
  revocation.startedMax = Math.min(STARTED_A_TURN.revocation, Math.floor(open.startedMax / REVOCATION_PART))
}

export type StartQueue<Request> = {
  /** Starts the request, which is read at this time, now or in a later turn, or refuses it. */
  readonly admit: (request: Request, at: number) => void
  /** Whether requests wait, or turns are long. */
  readonly isBusy: () => boolean
  /** For how long a request that is read now may have waited to be read, in ms. */
  readonly unreadMs: () => number
}

/** Asked and called for one request each. `now` in ms. */
export type Starting<Request> = {
  readonly now: () => number
  readonly nextTurn: (work: () => void) => void
  readonly kindOf: (request: Request) => Kind
  readonly networkOf: (request: Request) => string
  readonly start: (request: Request, at: number) => void
  /** In place of `start`. */
  readonly refuse: (request: Request) => void
  readonly metrics?: Metrics
}

/** What a queue does with a request, and counts of it. */
type Ends<Request> = Pick<Starting<Request>, 'start'> & {
  readonly shed: (request: Request, kind: Kind) => void
  readonly metrics: Metrics
}

const makeEnds = <Request>({ start, refuse, metrics = NO_METRICS }: Starting<Request>): Ends<Request> => ({
  start,
  shed: (request, kind) => {
    metrics.add('mintmark_requests_shed_total', { kind })
    refuse(request)
  },
  metrics,
})

const startWaiting = <Request>(lane: Lane<Request>, at: number, { start, shed, metrics }: Ends<Request>): void => {
  const { kind, queue } = lane
  const waited = queue.size() > 0
  lane.started = 0
  while (lane.started < Math.floor(lane.startedMax)) {
    const next = queue.take()
    if (next === undefined) break
    if (at - next.arrivedAt > 2 * WAIT_MS_MAX) shed(next.request, kind)
    else {
      metrics.observe('mintmark_start_wait_seconds', { kind }, (at - next.arrivedAt) / 1000)
      lane.started += 1
      start(next.request, at)
    }
  }
  if (waited) metrics.set('mintmark_start_queue_requests', { kind }, queue.size())
}

/** The queue of one thread. */
export const makeStartQueue = <Request>(starting: Starting<Request>): StartQueue<Request> => {
  const { now, nextTurn, kindOf, networkOf } = starting
  const ends = makeEnds(starting)
  const { start, shed, metrics } = ends
  const byKind = makeLanes<Request>()
  const { open } = byKind
  const lanes = Object.values(byKind)
  // Null where the thread may have rested since.
  let turnBeganAt: number | null = null
  let isScheduled = false
  let lastTurnMs = 0

  const size = (): number => lanes.reduce((sum, { queue }) => sum + queue.size(), 0)
  const started = (): number => lanes.reduce((sum, lane) => sum + lane.started, 0)

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
      for (const lane of lanes) measure(lane, lastTurnMs)
      adapt(byKind, lastTurnMs)
    }
    const isLoaded = size() > 0 || started() >= MEASURED_FROM
    turnBeganAt = isLoaded ? at : null
    for (const lane of lanes) startWaiting(lane, at, ends)
    if (isLoaded) schedule()
  }

  const wait = (lane: Lane<Request>, request: Request, at: number): void => {
    const { queue, waitingMax, kind } = lane
    const network = networkOf(request)
    if (queue.size() / lane.perMs > WAIT_MS_MAX || queue.size() >= waitingMax) {
      const other = queue.makeRoom(network)
      if (other === undefined) return shed(request, kind)
      shed(other.request, kind)
    }
    queue.push(network, { request, arrivedAt: at })
    metrics.set('mintmark_start_queue_requests', { kind }, queue.size())
  }

  return {
    admit: (request, at) => {
      schedule()
      const lane = hasRoom(open) ? open : byKind[kindOf(request)]
      if (!hasRoom(lane)) return wait(lane, request, at)
      lane.started += 1
      start(request, at)
    },
    isBusy: () => size() > 0 || lastTurnMs > TURN_MS,
    unreadMs: () => lastTurnMs,
  }
}
