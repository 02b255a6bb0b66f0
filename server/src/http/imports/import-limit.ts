// One import at a time in a process: its document may take 100 MiB while it is read. The others wait for their turn, or hear
// when to come again.
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import type { Administrator } from '../../domain/caller.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { nameOfCaller } from '../../operations/concurrency-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timing } from '../../ports/timing.ts'
import { UNMEASURED } from '../../ports/work-waits.ts'
import { type ImportCell, makeImportTurns, ownerOf } from './import-turns.ts'

export type ImportLimit = {
  /**
   * Takes the turn for a request, until its answer is ready or over. Before the body is read: that takes memory too. Waits
   * where another caller has it, in the order of arrival, with one request a caller.
   */
  readonly enter: (response: ServerResponse, caller: Administrator) => Promise<OrRefusal<object>>
  /** Keeps the turn besides, until the function that it returns is called. */
  readonly acquire: () => () => void
  /** Leaves the turn, whose import is done. A caller that sends another as soon as it has the answer may take the next. */
  readonly leave: (response: ServerResponse) => void
}

const FULL = 'Another import is under way: send this one again once that has ended.'

type Clock = Pick<Ports, 'monotonic'> & {
  readonly timing: Pick<Timing, 'importWaitMs' | 'importAskMs' | 'importPlaceMs'>
}

/** One clock for all threads of the process. */
export const makeImportLimit = (cell: ImportCell, clock: Clock, { onWaiting, onWaited } = UNMEASURED): ImportLimit => {
  const { monotonic, timing } = clock
  const owner = ownerOf(threadId)
  const turns = makeImportTurns(cell, clock)
  const entered = new WeakMap<ServerResponse, () => void>()
  const waiting = new Set<string>()
  let acquired = 0

  const acquire = (): (() => void) => {
    let isHeld = true
    acquired += 1
    return () => {
      if (!isHeld) return
      isHeld = false
      acquired -= 1
      if (acquired === 0) Atomics.compareExchange(cell, 0, owner, 0)
    }
  }

  /** Whether the turn was taken. The connection may be gone before it is. */
  const waitForTurn = async (response: ServerResponse, caller: Administrator): Promise<boolean> => {
    for (let waitedMs = 0; waitedMs < timing.importWaitMs; waitedMs += timing.importAskMs) {
      await delay(timing.importAskMs)
      if (response.closed) {
        turns.leave(caller)
        return false
      }
      const turn = turns.ask(caller, owner)
      if (turn !== 'wait') return turn === 'taken'
    }
    return false
  }

  const takeTurn = async (response: ServerResponse, caller: Administrator): Promise<boolean> => {
    const turn = turns.ask(caller, owner)
    const name = nameOfCaller(caller)
    if (turn !== 'wait' || waiting.has(name)) return turn === 'taken'
    waiting.add(name)
    onWaiting(waiting.size)
    const since = monotonic()
    try {
      const isTaken = await waitForTurn(response, caller)
      if (isTaken) onWaited(monotonic() - since)
      return isTaken
    } finally {
      waiting.delete(name)
      onWaiting(waiting.size)
    }
  }

  return {
    acquire,
    enter: async (response, caller) => {
      if (!(await takeTurn(response, caller))) return refuse('temporarily_unavailable', FULL, 'imports')
      const leave = acquire()
      entered.set(response, leave)
      if (response.closed) leave()
      else response.once('close', leave)
      return {}
    },
    leave: response => entered.get(response)?.(),
  }
}
