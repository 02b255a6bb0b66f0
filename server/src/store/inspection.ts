// A look at a store for `mintmark doctor`: it opens one of any version and in any state, and changes nothing.
import type { Milliseconds } from '../../../api/values/time.ts'
import type { StoreMaker } from './store-options.ts'
import { first, type Program } from './statement-program.ts'

/** Something wrong, in a sentence, and what to do. */
export type FoundInStore = { readonly what: string; readonly remedy: string }

export type StoreInspection = {
  /** The database and its version, such as `PostgreSQL 17.6`. */
  readonly server: string
  /** The version of the schema; 0: there is none. */
  readonly version: number
  /** The oldest program that runs on the schema. */
  readonly oldestProgram: number
  /** The version that this program writes. */
  readonly programVersion: number
  /** Runs a program that only reads. The schema must have the version of this program. */
  readonly run: <T>(program: Program<T>) => Promise<T>
  /** What compares text otherwise than by its bytes. */
  readonly otherOrders: () => Promise<readonly FoundInStore[]>
  /** Who besides the service may make functions beside its tables. */
  readonly otherMakers: () => Promise<readonly FoundInStore[]>
  /** The time of the store's clock; the machine's own for an embedded store. */
  readonly now: () => Promise<Milliseconds>
  readonly close: () => Promise<void>
}

export type InspectedHead = { readonly madeBy: StoreMaker; readonly clockLease: Milliseconds }

/** Returns undefined if a store is only partly copied. */
export function* readInspectedHead(): Program<InspectedHead | undefined> {
  return yield* first<InspectedHead>('select made_by as "madeBy", clock_lease as "clockLease" from service')
}
