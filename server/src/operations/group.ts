// Gathers requests that arrive together, so that an operation on groups serves callers one at a time, and bounds how many of one
// kind are under way.
import type { Timing } from '../ports/timing.ts'
import { type BatchName, NO_TRACES, type Span, type Traces } from '../ports/traces.ts'
import type { Administrator } from '../domain/caller.ts'
import { type OrRefusal, refuse, type WorkLimit } from '../domain/refusal.ts'
import { makeShares, type Permit } from '../domain/shares.ts'

/** Turns of the event loop that a group may wait while each brings more. */
const TURNS_MAX = 4

/** Its batches are linked with the spans of their requests. */
export type TracedGroup = { readonly traces: Traces; readonly name: BatchName }

const UNTRACED: TracedGroup = { traces: NO_TRACES, name: 'issue' }

type Grouping = {
  /** Requests in a group, at most. */
  readonly groupMax: number
  /** Runs the work in the next turn of the event loop. */
  readonly defer: (work: () => void) => void
  readonly timing: Pick<Timing, 'gatheringMs'>
  readonly traced?: TracedGroup
}

/**
 * Turns `run`, which answers a whole group in order, into a function that takes one request. A group, at most
 * `groupMax`, begins at the first turn of the event loop that brings no more requests, or after a few turns, so that more
 * requests share the cost of one read of the disk or one wake of another thread. A single request waits for a turn, never
 * for a timer. A fault of a group is thrown to each caller, an Error among the answers to the caller of that request.
 */
export const inGroups = <Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly (Answer | Error)[]>,
  { groupMax, defer, timing, traced: { traces, name } = UNTRACED }: Grouping,
): ((request: Request) => Promise<Answer>) => {
  type Waiting = {
    readonly request: Request
    readonly span: Span | undefined
    readonly resolve: (answer: Answer) => void
    readonly reject: (fault: unknown) => void
  }
  let waiting: Waiting[] = []

  const serve = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await traces.batch(
        name,
        group.map(({ span }) => span),
        () => run(group.map(({ request }) => request)),
      )
      if (answers.length !== group.length) throw new Error('A group was answered only in part.')
      answers.forEach((answer, n) => {
        if (answer instanceof Error) group[n]?.reject(answer)
        else group[n]?.resolve(answer)
      })
    } catch (fault) {
      for (const { reject } of group) reject(fault)
    }
  }

  // How many waited at the last turn, and how many turns the first of them has waited.
  let seen = 0
  let turns = 0
  let beganAt = 0

  const leave = (): void => {
    const gathered = waiting
    waiting = []
    seen = 0
    turns = 0
    for (let from = 0; from < gathered.length; from += groupMax) void serve(gathered.slice(from, from + groupMax))
  }

  const turn = (): void => {
    turns += 1
    const isLong = turns === TURNS_MAX || performance.now() - beganAt > timing.gatheringMs
    if (waiting.length === seen || waiting.length >= groupMax || isLong) return leave()
    seen = waiting.length
    defer(turn)
  }

  return request =>
    new Promise((resolve, reject) => {
      if (waiting.push({ request, span: traces.current(), resolve, reject }) > 1) return
      beganAt = performance.now()
      defer(turn)
    })
}

// Limits how many requests of one kind are under way, so that a flood of them is refused at once and leaves room for others.

/**
 * Has room for at most `permitsMax`, which is asked each time; any further request is refused. `onFull` is called for the
 * first of them, and not again before all permits have been released.
 */
const makeConcurrencyLimit = (
  permitsMax: () => number,
  limit: WorkLimit,
  onFull: (taken: number) => void,
): (() => OrRefusal<Permit>) => {
  let taken = 0
  let reported = false
  const release = (): void => {
    taken -= 1
    if (taken === 0) reported = false
  }
  return () => {
    if (taken >= permitsMax()) {
      if (!reported) onFull(taken)
      reported = true
      return refuse(
        'temporarily_unavailable',
        'More requests of this kind are waiting than are taken: try again.',
        limit,
      )
    }
    taken += 1
    return { release }
  }
}

/** Lets at most `requestsMax` token requests be under way in `serve`; any further one is refused before anything is done for it. */
export const withPermit = <Request, Answer extends object>(
  serve: (request: Request) => Promise<OrRefusal<Answer>>,
  requestsMax: () => number,
  onFull: (underWay: number) => void,
): ((request: Request) => Promise<OrRefusal<Answer>>) => {
  const enter = makeConcurrencyLimit(requestsMax, 'token_requests', onFull)
  return async request => {
    const permit = enter()
    if ('refusal' in permit) return permit
    try {
      return await serve(request)
    } finally {
      permit.release()
    }
  }
}

type SharedBounds = {
  readonly permitsMax: number
  /** So many of them one caller may have at a time. */
  readonly ofOneMax: number
  /** So many of them API keys leave to operators. */
  readonly reserved: number
}

const OF_ONE_FULL = 'This caller has as many requests of this kind under way as one may have: wait until one has ended.'

/** The API key, or the person. */
const nameOfCaller = (caller: Administrator): string => {
  if (caller.kind === 'api_key') return caller.id
  return caller.kind === 'operator' ? `${caller.iss} ${caller.sub}` : caller.kind
}

/** The same for the exports of administrators, who share the permits: no caller can take all, and API keys cannot take those of operators. */
export const makeSharedLimit = (
  { permitsMax, ofOneMax, reserved }: SharedBounds,
  onFull: () => void,
): ((caller: Administrator) => OrRefusal<Permit>) => {
  const enter = makeConcurrencyLimit(() => permitsMax, 'exports', onFull)
  const enterWithKey = makeConcurrencyLimit(() => permitsMax - reserved, 'exports', onFull)
  const underWay = makeShares()
  return caller => {
    const name = nameOfCaller(caller)
    if (underWay.of(name) >= ofOneMax) return refuse('temporarily_unavailable', OF_ONE_FULL, 'exports')
    const withKey = caller.kind === 'api_key' ? enterWithKey() : undefined
    if (withKey !== undefined && 'refusal' in withKey) return withKey
    const permit = enter()
    if ('refusal' in permit) {
      withKey?.release()
      return permit
    }
    const own = underWay.take(name)
    return {
      release: () => {
        own.release()
        withKey?.release()
        permit.release()
      },
    }
  }
}
