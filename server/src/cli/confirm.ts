// Asks the person at the terminal before something that cannot be undone.
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { CommandFailed, EXIT } from './exit.ts'
import { printableLines } from './print.ts'

/** Goes on only after a yes. Where nobody can be asked, or the answer is another, the command ends. */
export const confirm = async (consequence: string): Promise<void> => {
  const told = printableLines(consequence)
  if (!process.stdin.isTTY) throw new CommandFailed(`${told} If that is meant, run it again with --yes.`, EXIT.usage)
  // On standard error: standard output is for what the command prints.
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = once(lines, 'close').then(() => '')
  try {
    const answer = await Promise.race([lines.question(`${told} Go on? [y/N] `), closed])
    if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CommandFailed('Nothing was changed.')
  } finally {
    lines.close()
  }
}
