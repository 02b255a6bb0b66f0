// Gathers requests that arrive together, so that an operation on groups serves callers one at a time.
import type { Timing } from '../ports/timing.ts'
import { type BatchName, NO_TRACES, type Span, type Traces } from '../ports/traces.ts'

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
