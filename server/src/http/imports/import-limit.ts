// One import at a time in a process: its document may take 100 MiB while it is read. The others hear when to come again.
import type { ServerResponse } from 'node:http'
import { threadId } from 'node:worker_threads'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'

/** One number that all threads which serve share: 0, or 1 more than the id of the thread that has an import. */
export type ImportCell = Int32Array

export type ImportLimit = {
  /** Takes the place for a request, until its answer is ready or over. Before the body is read: that takes memory too. */
  readonly enter: (response: ServerResponse) => OrRefusal<object>
  /** Keeps the place besides, until the function that it gives is called. */
  readonly hold: () => () => void
  /** Leaves the place, whose import is done. Whoever sends another as soon as it has the answer finds the place free. */
  readonly leave: (response: ServerResponse) => void
}

const FULL = 'Another import is under way: send this one again once that has ended.'

export const makeImportLimit = (cell: ImportCell): ImportLimit => {
  const owner = threadId + 1
  const entered = new WeakMap<ServerResponse, () => void>()
  let holds = 0

  const hold = (): (() => void) => {
    let isHeld = true
    holds += 1
    return () => {
      if (!isHeld) return
      isHeld = false
      holds -= 1
      if (holds === 0) Atomics.compareExchange(cell, 0, owner, 0)
    }
  }

  return {
    hold,
    enter: response => {
      if (Atomics.compareExchange(cell, 0, 0, owner) !== 0) return refuse('temporarily_unavailable', FULL)
      const leave = hold()
      entered.set(response, leave)
      response.once('close', leave)
      return {}
    },
    leave: response => entered.get(response)?.(),
  }
}
