// Asks the person at the terminal before something that cannot be undone.
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline/promises'
import { CommandFailed, EXIT } from './exit.ts'
import { printableLines } from '../../domain/text/text.ts'

/** The streams of a process that a question uses. */
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

/** What a command does that cannot be undone, in a sentence. */
export type Consequence =
  | string
  | {
      readonly text: string
      /** What a person types before it happens: of what reaches so far a slip of one key is not enough. */
      readonly phrase: string
    }

/** What ends every token of a store, whichever command does. */
export const endsEveryToken = (text: string): Consequence => ({ text, phrase: 'end every token' })

const questionOf = (consequence: Consequence) => {
  if (typeof consequence === 'string') return { text: consequence, ask: 'Go on? [y/N]', isMeant: isYes }
  const { text, phrase } = consequence
  return { text, ask: `Type "${phrase}" to go on:`, isMeant: (answer: string): boolean => answer.trim() === phrase }
}

/** Goes on only after a yes, or the phrase. Where nobody can be asked, or the answer is another, the command ends. */
export const confirm = async (consequence: Consequence, { stdin, stderr }: Terminal = process): Promise<void> => {
  const { text, ask, isMeant } = questionOf(consequence)
  const reported = printableLines(text)
  if (stdin.isTTY !== true)
    throw new CommandFailed(`${reported} If that is meant, run it again with --yes.`, EXIT.usage)
  // On standard error: standard output is for what the command prints.
  const lines = createInterface({ input: stdin, output: stderr })
  const closed = once(lines, 'close').then(() => undefined)
  try {
    const answer = await Promise.race([answerTo(lines, `${reported} ${ask} `), closed])
    if (answer === undefined) stderr.write('\n')
    else if (isMeant(answer)) return
    throw new CommandFailed('Nothing was changed.')
  } finally {
    lines.close()
  }
}
