// What clients know about the tokens that they share, in shared memory: a few times for each token, from which follows
// whether some order of all operations on it explains every answer.
//
// A token ends once. So the answers are explained exactly if there is a moment of the end
//   later than the sending of every introspection that said active, and of the first revocation (or later than exp), and
//   earlier than the receipt of every inactive answer, and of every 200 to a revocation.
// Greatest and least times are enough to judge; no list of operations is kept, and the order in which clients note
// their times does not matter. All times are of one monotonic clock of the machine, in nanoseconds.

const TOKEN_BYTES_MAX = 1024
const NEVER = 0x7fff_ffff_ffff_ffffn

/** The life of a place in the table: `retired` places are taken by a client that finds them unused. */
const PLACE = { retired: 0, taken: 1, live: 2 } as const
const CELL = { place: 0, users: 1, bytes: 2, shortLived: 3 } as const
const CELLS = 4
const TIME = { revokeSent: 0, revoked: 1, inactive: 2, activeSent: 3, surelyAlive: 4, expiry: 5 } as const
const TIMES = 6

export type TableMemory = {
  readonly places: number
  readonly cells: SharedArrayBuffer
  readonly times: SharedArrayBuffer
  readonly texts: SharedArrayBuffer
}

type IssuedToken = {
  readonly text: string
  readonly shortLived: boolean
  /** The monotonic time until which nothing but a revocation can end it. */
  readonly surelyAliveUntil: bigint
  /** `exp` by the wall clock, in ms. */
  readonly expiresAtMs: number
}

export type SharedToken = { readonly text: string; readonly shortLived: boolean; readonly expiresAtMs: number }

/** What became of a token, by the answers of its clients. */
export type TokenOutcome = {
  readonly text: string
  readonly shortLived: boolean
  readonly revocation: 'none' | 'sent' | 'acknowledged'
  readonly seenInactive: boolean
}

type TokenTable = {
  readonly places: number
  /** The live token in a place, which stays until release(); undefined where there is none. */
  readonly use: (place: number) => SharedToken | undefined
  readonly release: (place: number) => void
  /** Takes a place whose token is retired and unused; false where somebody else has it. */
  readonly take: (place: number) => boolean
  /** Fills a place that was taken; undefined leaves it retired. */
  readonly fill: (place: number, token: IssuedToken | undefined) => void
  readonly retire: (place: number) => void
  readonly noteRevokeSent: (place: number, at: bigint) => void
  readonly noteRevoked: (place: number, at: bigint) => void
  readonly noteInactive: (place: number, at: bigint) => void
  readonly noteActive: (place: number, sentAt: bigint) => void
  /** What no order of the operations on the token in this place explains; ask while nobody uses it. */
  readonly judge: (place: number) => readonly string[]
  /** Returns the outcome of the token that judge() judges; undefined if the place never had one. */
  readonly outcome: (place: number) => TokenOutcome | undefined
}

export const makeTableMemory = (places: number): TableMemory => ({
  places,
  cells: new SharedArrayBuffer(4 * CELLS * places),
  times: new SharedArrayBuffer(8 * TIMES * places),
  texts: new SharedArrayBuffer(TOKEN_BYTES_MAX * places),
})

const keepLeast = (times: BigInt64Array, index: number, time: bigint): void => {
  let seen = Atomics.load(times, index)
  while (time < seen) {
    const before = Atomics.compareExchange(times, index, seen, time)
    if (before === seen) return
    seen = before
  }
}

const keepGreatest = (times: BigInt64Array, index: number, time: bigint): void => {
  let seen = Atomics.load(times, index)
  while (time > seen) {
    const before = Atomics.compareExchange(times, index, seen, time)
    if (before === seen) return
    seen = before
  }
}

const microseconds = (nanoseconds: bigint): string => `${(Number(nanoseconds) / 1000).toFixed(1)} µs`

type Times = Readonly<Record<keyof typeof TIME, bigint>>

const judgeTimes = ({ activeSent, revoked, inactive, revokeSent, surelyAlive }: Times): readonly string[] => {
  const found: string[] = []
  if (activeSent > revoked) {
    found.push(`P1: active to a request sent ${microseconds(activeSent - revoked)} after the 200 of its revocation`)
  }
  if (activeSent > inactive) {
    found.push(`P2: active to a request sent ${microseconds(activeSent - inactive)} after an answer said inactive`)
  }
  const endable = revokeSent < surelyAlive ? revokeSent : surelyAlive
  if (inactive < endable) {
    found.push(`P5: inactive ${microseconds(endable - inactive)} before a revocation was sent or exp came near`)
  }
  return found
}

const cellOf = (place: number, cell: keyof typeof CELL): number => CELLS * place + CELL[cell]

const timeOf = (place: number, time: keyof typeof TIME): number => TIMES * place + TIME[time]

export const openTokenTable = (memory: TableMemory): TokenTable => {
  const cells = new Int32Array(memory.cells)
  const times = new BigInt64Array(memory.times)
  const texts = Buffer.from(memory.texts)
  const timesOf = (place: number): Times => {
    const of = (name: keyof typeof TIME): bigint => Atomics.load(times, timeOf(place, name))
    const [revokeSent, revoked, inactive] = [of('revokeSent'), of('revoked'), of('inactive')]
    const [activeSent, surelyAlive, expiry] = [of('activeSent'), of('surelyAlive'), of('expiry')]
    return { revokeSent, revoked, inactive, activeSent, surelyAlive, expiry }
  }
  const textOf = (place: number): string => {
    const start = TOKEN_BYTES_MAX * place
    return texts.toString('latin1', start, start + Atomics.load(cells, cellOf(place, 'bytes')))
  }
  const isShortLived = (place: number): boolean => Atomics.load(cells, cellOf(place, 'shortLived')) === 1
  const release = (place: number): void => void Atomics.sub(cells, cellOf(place, 'users'), 1)
  return {
    places: memory.places,
    release,
    use: place => {
      // Counted first, looked at second: a client that takes a place has seen it retired and without users.
      Atomics.add(cells, cellOf(place, 'users'), 1)
      if (Atomics.load(cells, cellOf(place, 'place')) !== PLACE.live) {
        release(place)
        return undefined
      }
      const expiresAtMs = Number(Atomics.load(times, timeOf(place, 'expiry')))
      return { text: textOf(place), shortLived: isShortLived(place), expiresAtMs }
    },
    take: place =>
      Atomics.load(cells, cellOf(place, 'place')) === PLACE.retired &&
      Atomics.load(cells, cellOf(place, 'users')) === 0 &&
      Atomics.compareExchange(cells, cellOf(place, 'place'), PLACE.retired, PLACE.taken) === PLACE.retired,
    fill: (place, token) => {
      for (const name of ['revokeSent', 'revoked', 'inactive'] as const)
        Atomics.store(times, timeOf(place, name), NEVER)
      Atomics.store(times, timeOf(place, 'activeSent'), 0n)
      Atomics.store(times, timeOf(place, 'surelyAlive'), token?.surelyAliveUntil ?? 0n)
      Atomics.store(times, timeOf(place, 'expiry'), BigInt(token?.expiresAtMs ?? 0))
      Atomics.store(cells, cellOf(place, 'bytes'), token?.text.length ?? 0)
      if (token !== undefined) {
        if (token.text.length > TOKEN_BYTES_MAX) throw new Error(`A token has ${token.text.length} bytes.`)
        texts.write(token.text, TOKEN_BYTES_MAX * place, 'latin1')
        Atomics.store(cells, cellOf(place, 'shortLived'), token.shortLived ? 1 : 0)
      }
      Atomics.store(cells, cellOf(place, 'place'), token === undefined ? PLACE.retired : PLACE.live)
    },
    retire: place => void Atomics.compareExchange(cells, cellOf(place, 'place'), PLACE.live, PLACE.retired),
    noteRevokeSent: (place, at) => keepLeast(times, timeOf(place, 'revokeSent'), at),
    noteRevoked: (place, at) => keepLeast(times, timeOf(place, 'revoked'), at),
    noteInactive: (place, at) => keepLeast(times, timeOf(place, 'inactive'), at),
    noteActive: (place, sentAt) => keepGreatest(times, timeOf(place, 'activeSent'), sentAt),
    judge: place => judgeTimes(timesOf(place)),
    outcome: place => {
      const { revokeSent, revoked, inactive } = timesOf(place)
      const text = textOf(place)
      if (text === '') return undefined
      const revocation = revoked < NEVER ? 'acknowledged' : revokeSent < NEVER ? 'sent' : 'none'
      return { text, shortLived: isShortLived(place), revocation, seenInactive: inactive < NEVER }
    },
  }
}
