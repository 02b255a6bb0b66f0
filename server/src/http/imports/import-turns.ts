// Whose turn it is to import: one import at a time in a process, and a caller that waits comes before those who asked later.
import { hash } from 'node:crypto'
import type { Administrator } from '../../domain/caller.ts'
import { nameOfCaller } from '../../operations/concurrency-limit.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timing } from '../../ports/timing.ts'

/**
 * Numbers that all serving threads share. First the thread that has an import; then its caller;
 * then the places of those who wait: caller, since when, and when last asked, in ms. Callers are hashes, 0 is nobody.
 */
export type ImportCell = Int32Array

const [OWNER, CALLER, PLACES] = [0, 1, 2]
const [WHO, SINCE, ASKED, FIELDS] = [0, 1, 2, 3]

/** Callers who wait, each in one place. */
export const IMPORTERS_WAITING_MAX = 16
/** What API keys leave to operators. */
export const IMPORTERS_RESERVED = 4

export const makeImportCell = (): ImportCell =>
  new Int32Array(new SharedArrayBuffer(4 * (PLACES + FIELDS * IMPORTERS_WAITING_MAX)))

/** A thread in the cell; 0 is none. */
export const ownerOf = (threadId: number): number => threadId + 1

/** Two callers with one hash would share a place, and take turns as one. */
const hashOf = (caller: Administrator): number => hash('sha256', nameOfCaller(caller), 'buffer').readInt32LE(0) | 1

/** `full`: there is no place to wait in. `own`: the caller has an import under way. */
export type Turn = 'taken' | 'wait' | 'full' | 'own'

export type ImportTurns = {
  /** Takes the turn for a thread; or keeps a place for the caller, who asks again within `importPlaceMs`. */
  readonly ask: (caller: Administrator, owner: number) => Turn
  /** Gives up the place of a caller who waits no longer. */
  readonly leave: (caller: Administrator) => void
}

type Clock = Pick<Ports, 'monotonic'> & { readonly timing: Pick<Timing, 'importPlaceMs'> }

/** One clock for all threads. They change the cell without a lock: what a race costs is a place in the order. */
export const makeImportTurns = (cell: ImportCell, { monotonic, timing }: Clock): ImportTurns => {
  const places = Array.from({ length: IMPORTERS_WAITING_MAX }, (_, n) => PLACES + n * FIELDS)
  const read = (place: number, field: number): number => Atomics.load(cell, place + field)
  // Times are the low 32 bits: differences are right for 24 days.
  const isKept = (place: number, at: number): boolean =>
    read(place, WHO) !== 0 && ((at - read(place, ASKED)) | 0) < timing.importPlaceMs

  const placeOf = (who: number, at: number): number | undefined =>
    places.find(place => read(place, WHO) === who && isKept(place, at))

  const takePlace = (who: number, at: number, mayUse: readonly number[]): number | undefined =>
    mayUse.find(place => {
      const before = read(place, WHO)
      if (isKept(place, at) || Atomics.compareExchange(cell, place + WHO, before, who) !== before) return false
      Atomics.store(cell, place + SINCE, at)
      return true
    })

  const keepPlace = (caller: Administrator, who: number, at: number): Turn => {
    const mayUse = caller.kind === 'api_key' ? places.slice(0, -IMPORTERS_RESERVED) : places
    const place = placeOf(who, at) ?? takePlace(who, at, mayUse)
    if (place === undefined) return 'full'
    Atomics.store(cell, place + ASKED, at)
    return 'wait'
  }

  const isOthersTurn = (who: number, at: number): boolean => {
    const own = placeOf(who, at)
    const since = own === undefined ? at : read(own, SINCE)
    return places.some(place => read(place, WHO) !== who && isKept(place, at) && ((since - read(place, SINCE)) | 0) > 0)
  }

  const forget = (who: number): void => {
    for (const place of places) Atomics.compareExchange(cell, place + WHO, who, 0)
  }

  return {
    ask: (caller, owner) => {
      const [who, at] = [hashOf(caller), Math.trunc(monotonic()) | 0]
      if (Atomics.load(cell, OWNER) !== 0 && Atomics.load(cell, CALLER) === who) return 'own'
      if (isOthersTurn(who, at) || Atomics.compareExchange(cell, OWNER, 0, owner) !== 0)
        return keepPlace(caller, who, at)
      Atomics.store(cell, CALLER, who)
      forget(who)
      return 'taken'
    },
    leave: caller => forget(hashOf(caller)),
  }
}
