// How far a move is, for a person at a terminal: rows, how many a second, and how long it takes at that pace.
import type { Timing } from '../../ports/timing.ts'

type Step = { readonly step: string; readonly what: string; readonly rows: number; readonly of: number }

const count = (n: number): string => Math.round(n).toLocaleString('en-US')

/** `rate` is rows a second; 0 where it is not known yet. */
export const lineOf = ({ step, what, rows, of }: Step, rate: number): string => {
  const done = `${what}: ${count(rows)} of ${count(Math.max(of, rows))} rows ${step}`
  if (rate === 0) return done
  const left = of > rows ? `, ${count(Math.ceil((of - rows) / rate))} s left` : ''
  return `${done}, ${count(rate)} a second${left}`
}

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => boolean }

type Progress = {
  readonly report: (step: string, what: string, rows: number, of: number) => void
  /** Leaves the line. */
  readonly end: () => void
}

/** Prints nothing where nobody looks, or where the caller is quiet. */
export const makeMoveProgress = (
  isQuiet: boolean,
  { progressMs }: Pick<Timing, 'progressMs'>,
  output: Output = process.stderr,
): Progress => {
  if (isQuiet || output.isTTY !== true) return { report: () => undefined, end: () => undefined }
  let [reportedAt, began, firstRows, current] = [Number.NEGATIVE_INFINITY, 0, 0, '']
  return {
    report: (step, what, rows, of) => {
      const now = performance.now()
      if (current !== `${step} ${what}`) [current, began, firstRows] = [`${step} ${what}`, now, rows]
      if (now - reportedAt < progressMs) return
      reportedAt = now
      const rate = now > began ? ((rows - firstRows) * 1000) / (now - began) : 0
      output.write(`\r${lineOf({ step, what, rows, of }, rate)}\u001b[K`)
    },
    end: () => void (current !== '' && output.write('\r\u001b[K')),
  }
}
