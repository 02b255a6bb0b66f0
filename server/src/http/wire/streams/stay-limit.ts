// How many responses may stay open at once, as streams and requests that wait do: each keeps a connection.
import { type OrRefusal, refuse, type WorkLimit } from '../../../domain/refusal.ts'
import { makeShares, type Permit } from '../../../domain/shares.ts'

/** How many of one kind may stay in a thread. An owner is an API key, or an operator. */
export type StayLimits = {
  readonly all: number
  /** The most of one owner: the others always have room. */
  readonly ofOne: number
  /** Kept for owners with few, however many others have. */
  readonly reserved: number
  /** So many are few. */
  readonly few: number
}

/** What those are answered that may not stay, and the name under which they are counted. */
export type StayWords = {
  readonly full: string
  readonly ofOneFull: string
  readonly closing: string
  readonly counted: WorkLimit
}

type Staying = {
  readonly limits: StayLimits
  readonly words: StayWords
  /** Whether the process has connections to spare for those that stay; more of them for one of few. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
}

type StayLimit = {
  /** `id` is of the owner in whose share it counts. */
  readonly enter: (id: string) => OrRefusal<Permit>
  /** From then on everybody is refused. */
  readonly close: () => void
}

export const makeStayLimit = ({ limits, words, mayStay }: Staying): StayLimit => {
  const shares = makeShares()
  let isClosed = false
  return {
    enter: id => {
      const own = shares.of(id)
      if (isClosed) return refuse('temporarily_unavailable', words.closing)
      if (own >= limits.ofOne) return refuse('temporarily_unavailable', words.ofOneFull, words.counted)
      const isOneOfFew = own < limits.few
      const room = isOneOfFew ? limits.all : limits.all - limits.reserved
      if (shares.all() >= room || !mayStay(isOneOfFew))
        return refuse('temporarily_unavailable', words.full, words.counted)
      return shares.take(id)
    },
    close: () => {
      isClosed = true
    },
  }
}
