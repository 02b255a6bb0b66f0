// In this folder: wires a service by hand, from the store to the listener, for `serve`, `dev`, commands and tests. It decides nothing.
// The lines of the access log as bytes, gathered into pieces. A line differs from the one before it with the same outcome in the
// id of its request and the seconds, and seldom in the time and its end: it is a copy of those bytes with new ones in a few
// places, which costs a third of what it does to put its text together and to turn that into bytes.
import {
  type AccessLine,
  type AccessLog,
  BEFORE_ID,
  formatBytes,
  formatEnd,
  formatKind,
  formatLine,
  formatStart,
  microsecondsOf,
  type Who,
} from '../http/notes/access-line.ts'

/** What stands around the members of a line, all of it ASCII. */
export type Envelope = { readonly beforeTime: string; readonly afterTime: string; readonly end: string }

/** Outcomes whose last line is kept; all are forgotten where there is one more. */
const OUTCOMES_MAX = 64
/** A longer line is put together from its text. */
const PATTERN_BYTES = 1024
/** Several pieces for a pipe, or one for a file: small rooms, made for each piece, cost more than the lines in them. */
export const ROOM_BYTES = 65_536
/** The length of a count of seconds below ten: `0.000000`. */
const SECONDS_DIGITS = 8
const TEN_SECONDS = 10_000_000
const ZERO = 48

/** The last line with an outcome. Its seconds are those of any line. */
type Pattern = {
  readonly bytes: Buffer
  readonly idAt: number
  readonly idLength: number
  readonly secondsAt: number
  now: number
  shownBytes: AccessLine['bytes']
  who: Who | null
  whoAt: number
  /** The part of `bytes` that is the line. */
  line: Buffer
}

/** Writes a time below ten seconds. */
const putSeconds = (bytes: Buffer, at: number, microseconds: number): void => {
  let rest = microseconds
  for (let place = at + SECONDS_DIGITS - 1; place > at + 1; place -= 1) {
    const left = Math.trunc(rest / 10)
    bytes[place] = ZERO + rest - left * 10
    rest = left
  }
  bytes[at] = ZERO + rest
}

/** Makes the patterns of lines; undefined for a line that has none. */
const makePatterns = ({ beforeTime, afterTime, end }: Envelope) => {
  const patterns = new Map<string, Pattern>()
  const timeAt = beforeTime.length

  const putEnd = (pattern: Pattern, line: AccessLine): boolean => {
    const { bytes, who } = line
    const text = `${formatEnd(line)}${end}`
    const at = pattern.secondsAt + SECONDS_DIGITS
    if (at + text.length > PATTERN_BYTES) return false
    pattern.bytes.write(text, at, 'latin1')
    if (pattern.line.length !== at + text.length) pattern.line = pattern.bytes.subarray(0, at + text.length)
    pattern.shownBytes = bytes
    pattern.who = who
    pattern.whoAt = who === null ? 0 : at + formatBytes(line).length + formatKind(who).length
    return true
  }

  /** Whether the pattern is one of this caller now: nearly always only the id is another one. */
  const putWho = (pattern: Pattern, who: Who | null): boolean => {
    const before = pattern.who
    if (before === null || who === null) return before === who
    if (before.kind !== who.kind || before.id.length !== who.id.length) return false
    if (before.id !== who.id) pattern.bytes.write(who.id, pattern.whoAt, 'latin1')
    pattern.who = who
    return true
  }

  const make = (line: AccessLine, now: number): Pattern | undefined => {
    const before = `${beforeTime}${now}${afterTime}`
    const text = `${before}${formatStart(line)}0.000000`
    if (text.length > PATTERN_BYTES) return undefined
    const bytes = Buffer.alloc(PATTERN_BYTES)
    bytes.write(text, 0, 'latin1')
    const idAt = before.length + BEFORE_ID.length
    const secondsAt = text.length - SECONDS_DIGITS
    const places = { idAt, idLength: line.requestId.length, secondsAt, now }
    const pattern = { bytes, ...places, shownBytes: line.bytes, who: line.who, whoAt: 0, line: bytes }
    if (!putEnd(pattern, line)) return undefined
    if (patterns.size >= OUTCOMES_MAX) patterns.clear()
    patterns.set(line.outcome, pattern)
    return pattern
  }

  return (line: AccessLine, now: number): Pattern | undefined => {
    // An id of a trace is of one line alone.
    if (line.traceId !== undefined) return undefined
    const pattern = patterns.get(line.outcome)
    if (pattern === undefined || pattern.idLength !== line.requestId.length) return make(line, now)
    if (pattern.now !== now) {
      const time = String(now)
      if (time.length !== String(pattern.now).length) return make(line, now)
      pattern.bytes.write(time, timeAt, 'latin1')
      pattern.now = now
    }
    if (pattern.shownBytes === line.bytes && putWho(pattern, line.who)) return pattern
    return putEnd(pattern, line) ? pattern : undefined
  }
}

export type Lines = {
  /** `now` in milliseconds since 1970. */
  readonly add: (line: Parameters<AccessLog>[0], now: number) => void
  /** Writes the lines that wait. */
  readonly flush: () => void
}

/** Gathers whole lines into pieces of `bytesMax` at most; one line may be longer. Nothing changes a piece that was written. */
export const gatherLines = (envelope: Envelope, bytesMax: number, write: (piece: Buffer) => void): Lines => {
  const patternOf = makePatterns(envelope)
  const { beforeTime, afterTime, end } = envelope
  let room = Buffer.alloc(0)
  let from = 0
  let at = 0

  const flush = (): void => {
    if (at === from) return
    const piece = room.subarray(from, at)
    from = at
    write(piece)
  }
  const makeRoom = (bytes: number): void => {
    if (at - from + bytes > bytesMax) flush()
    if (at + bytes <= room.length) return
    flush()
    room = Buffer.allocUnsafeSlow(Math.max(bytes, ROOM_BYTES))
    from = 0
    at = 0
  }
  const addText = (line: AccessLine, now: number): void => {
    const text = `${beforeTime}${now}${afterTime}${formatLine(line)}${end}`
    makeRoom(text.length)
    at += room.write(text, at, 'latin1')
  }

  return {
    add: (line, now) => {
      const microseconds = microsecondsOf(line)
      const pattern = microseconds < TEN_SECONDS ? patternOf(line, now) : undefined
      if (pattern === undefined) return addText(line, now)
      const { line: bytes, idAt, secondsAt } = pattern
      makeRoom(bytes.length)
      room.set(bytes, at)
      room.write(line.requestId, at + idAt, 'latin1')
      putSeconds(room, at + secondsAt, microseconds)
      at += bytes.length
    },
    flush,
  }
}
