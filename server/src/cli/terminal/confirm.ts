// Asks the person at the terminal before something that cannot be undone.
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline/promises'
import { CommandFailed, EXIT } from './exit.ts'
import { printableLines } from '../../domain/text/printable.ts'

/** Of a process. */
type Terminal = {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream
}

/** Undefined where the person leaves instead, by Ctrl-C or Ctrl-D. */
const answerTo = async (lines: Interface, question: string): Promise<string | undefined> => {
  try {
    return await lines.question(question)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  }
}

const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer)

/** Goes on only after a yes. Where nobody can be asked, or the answer is another, the command ends. */
export const confirm = async (consequence: string, { stdin, stderr }: Terminal = process): Promise<void> => {
  const reported = printableLines(consequence)
  if (stdin.isTTY !== true)
    throw new CommandFailed(`${reported} If that is meant, run it again with --yes.`, EXIT.usage)
  // On standard error: standard output is for what the command prints.
  const lines = createInterface({ input: stdin, output: stderr })
  const closed = once(lines, 'close').then(() => undefined)
  try {
    const answer = await Promise.race([answerTo(lines, `${reported} Go on? [y/N] `), closed])
    if (answer === undefined) stderr.write('\n')
    else if (isYes(answer)) return
    throw new CommandFailed('Nothing was changed.')
  } finally {
    lines.close()
  }
}
