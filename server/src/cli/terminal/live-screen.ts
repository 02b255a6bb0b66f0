// Shows lines on the whole terminal and draws them anew, until the person leaves by q, Ctrl-C or Ctrl-D, or a signal ends the
// command. The terminal is then as it was.
import { setTimeout as delay } from 'node:timers/promises'
import { printable } from '../../domain/text/printable.ts'

export type ScreenSize = { readonly columns: number; readonly rows: number }

/** Of a process. */
export type ScreenTerminal = {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; readonly setRawMode?: (on: boolean) => unknown }
  readonly stdout: NodeJS.WritableStream & {
    readonly isTTY?: boolean
    readonly columns?: number
    readonly rows?: number
  }
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown
}

type Shown = {
  /** Reads what is shown next. Must not reject. */
  readonly read: () => Promise<void>
  readonly layOut: (size: ScreenSize) => readonly string[]
  readonly everyMs: number
}

// ECMA-48, and the private modes of xterm for the other screen and for the cursor.
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

/** q, Q, Ctrl-C, Ctrl-D. */
const LEAVING: readonly string[] = ['q', 'Q', '\u0003', '\u0004']
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Of a terminal that does not know its size. */
const SIZE: ScreenSize = { columns: 80, rows: 24 }

/** Whether a person looks at it and can leave it. */
export const isScreen = ({ stdin, stdout }: ScreenTerminal = process): boolean =>
  stdin.isTTY === true && stdout.isTTY === true

/** Listens for what ends the screen; returns what stops that. */
const listen = (terminal: ScreenTerminal, leave: () => void, draw: () => void): (() => void) => {
  const { stdin, stdout } = terminal
  const onInput = (chunk: Buffer | string): void => {
    const typed = chunk.toString()
    if (LEAVING.some(key => typed.includes(key))) leave()
  }
  stdin.setRawMode?.(true)
  stdin.on('data', onInput).on('end', leave).on('error', leave)
  stdout.on('error', leave).on('resize', draw)
  for (const signal of SIGNALS) terminal.on(signal, leave)
  return () => {
    for (const signal of SIGNALS) terminal.off(signal, leave)
    stdout.off('error', leave).off('resize', draw)
    stdin.off('data', onInput).off('end', leave).off('error', leave)
    stdin.setRawMode?.(false)
    stdin.pause()
  }
}

export const showLive = async ({ read, layOut, everyMs }: Shown, terminal: ScreenTerminal): Promise<void> => {
  const { stdout } = terminal
  const leaving = new AbortController()
  const left = new Promise<void>(resolve => {
    leaving.signal.addEventListener('abort', () => resolve())
  })
  const draw = (): void => {
    const { columns = SIZE.columns, rows = SIZE.rows } = stdout
    const lines = layOut({ columns: columns || SIZE.columns, rows: rows || SIZE.rows }).slice(0, rows || SIZE.rows)
    stdout.write(`${HOME}${lines.map(line => printable(line) + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`)
  }
  const stop = listen(terminal, () => leaving.abort(), draw)
  stdout.write(ENTER)
  try {
    while (!leaving.signal.aborted) {
      draw()
      await delay(everyMs, undefined, { signal: leaving.signal }).catch(() => undefined)
      await Promise.race([read(), left])
    }
  } finally {
    stop()
    stdout.write(LEAVE)
  }
}
