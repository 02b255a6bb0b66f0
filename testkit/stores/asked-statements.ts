// The statements of the store that tests read the plans of: those that a program asks, or all that are asked meanwhile.
import { type Program, STATEMENTS } from '../../server/src/store/statement-program.ts'

/** The texts that a program asks of a store that answers with these rows where a text contains the name, and else with none. */
export const statementsOf = (
  program: Program<unknown>,
  answers: Readonly<Record<string, readonly object[]>> = {},
): readonly string[] => {
  const texts: string[] = []
  for (let step = program.next(); step.done !== true; ) {
    const { text } = step.value
    texts.push(text)
    const rows = Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? []
    step = program.next({ rows, changes: 0 })
  }
  return texts
}

/** The texts like this that the programs of this thread ask while `work` runs, each once, in the order of their first use. */
export const statementsDuring = async (work: () => Promise<unknown>, like: RegExp): Promise<readonly string[]> => {
  const texts = new Set<string>()
  const note = (text: unknown): void => void texts.add(String(text))
  STATEMENTS.subscribe(note)
  try {
    await work()
  } finally {
    STATEMENTS.unsubscribe(note)
  }
  return [...texts].filter(text => like.test(text))
}
