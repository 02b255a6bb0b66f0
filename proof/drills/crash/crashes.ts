// What a kind of crash is made of, and what it is made with.
import type { Random } from '../random.ts'
import type { ServiceUnderDrill } from '../service-under-drill.ts'
import type { startLoad } from './load.ts'

export type Crashes = {
  readonly begin: () => Promise<void>
  /** Loads the service, crashes it, and checks what is there afterwards: at once, or when the next one begins. */
  readonly crash: () => Promise<void>
  /** Checks everything once more. */
  readonly end: () => Promise<void>
  /** How many there were of which kind. */
  readonly describe: () => string
}

export type Crashing = {
  readonly service: ServiceUnderDrill
  readonly random: Random
  readonly load: () => ReturnType<typeof startLoad>
  /** How many tokens are known. */
  readonly known: () => number
  /** Whether the tokens from that one on, and a sample of those before, are as acknowledged; with the lists, unless it is `new` ones alone. */
  readonly check: (since: number, what?: 'all' | 'new') => Promise<void>
}
