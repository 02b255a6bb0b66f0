// A token that a person pastes, or a program pipes: never an argument, which a shell keeps and other users of a machine see.
import type { Readable } from 'node:stream'
import { parsePastedToken } from '../../config/values.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { readStandardInput } from './standard-input.ts'

/** The size of the pasted text, white space included: a token has 8,192 characters at most. */
const PASTED_BYTES_MAX = 65_536

const PASTE = { on: '\u001B[?2004h', off: '\u001B[?2004l', start: '\u001B[200~', end: '\u001B[201~' }

/** Ctrl-C and Ctrl-D. */
const LEAVE = ['\u0003', '\u0004']

/** The key Backspace, which terminals send as either. */
const ERASE = ['\u007F', '\b']

type Input = Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown }
export type PasteTerminal = { readonly stdin: Input; readonly stderr: NodeJS.WritableStream }

const tooLong = (): CommandFailed =>
  new CommandFailed(`That is no token: it has more than ${PASTED_BYTES_MAX} bytes.`, EXIT.usage)

const isInPaste = (typed: string): boolean => typed.lastIndexOf(PASTE.start) > typed.lastIndexOf(PASTE.end)

/** What was typed so far without what a terminal adds to a paste, and whether Enter ended it. */
const readTyped = (typed: string): 'left' | { readonly text: string; readonly isDone: boolean } => {
  // Inside a bracketed paste a control character and a line break are of the paste; elsewhere a line break at the end is Enter.
  const isOpen = isInPaste(typed)
  const isLeft = !isOpen && LEAVE.some(key => typed.lastIndexOf(key) > typed.lastIndexOf(PASTE.end))
  if (isLeft) return 'left'
  const text = typed.replaceAll(PASTE.start, '').replaceAll(PASTE.end, '')
  return { text, isDone: !isOpen && /[\r\n]$/.test(typed) }
}

/** With the echo of the terminal off: what scrolls by can be read, and is kept. */
const askHidden = async ({ stdin, stderr }: PasteTerminal): Promise<string> => {
  stderr.write(`Paste the token and press Enter; it is not shown: ${PASTE.on}`)
  stdin.setRawMode?.(true)
  try {
    let typed = ''
    let isTooLong = false
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      // By itself it is a key, also where a paste does not end.
      if (LEAVE.includes(String(chunk))) break
      for (const key of String(chunk)) typed = ERASE.includes(key) ? typed.slice(0, -1) : typed + key
      if (typed.length > PASTED_BYTES_MAX) {
        isTooLong = true
        // To its end: what is left unread goes to the shell, which shows it and runs it.
        typed = (isInPaste(typed) ? PASTE.start : '') + typed.slice(-PASTE.end.length)
      }
      if (isTooLong && !isInPaste(typed)) throw tooLong()
      const read = readTyped(typed)
      if (read === 'left') break
      if (read.isDone && read.text.trim() !== '') return read.text
    }
    throw new CommandFailed('Nothing was changed.')
  } finally {
    stdin.setRawMode?.(false)
    stdin.pause()
    stderr.write(`${PASTE.off}\n`)
  }
}

/** The token without what it was copied with: one word of printable ASCII. */
export const tokenIn = (pasted: string, where = 'on standard input'): string => {
  const word = parsePastedToken(pasted)
  if ('value' in word) return word.value
  throw new CommandFailed(`There is no token ${where}: it ${word.wrong}.`, EXIT.usage)
}

/** The token that a person pastes at a terminal, or else that standard input holds. */
export const readPastedToken = async (terminal: PasteTerminal = process): Promise<string> =>
  tokenIn(
    terminal.stdin.isTTY === true ? await askHidden(terminal) : await readStandardInput('the token', PASTED_BYTES_MAX),
  )
