// The reference of the command line: the help of every command, as the program prints it.
import type { Command } from 'commander'
import { makeProgram } from '../../server/src/cli/program.ts'

const HELP_COLUMNS = 96

/** A command and those below it, each by all its words. */
const namedWithin = (command: Command, words: string): readonly (readonly [string, Command])[] => [
  [words, command],
  ...command.commands.flatMap(child => namedWithin(child, `${words} ${child.name()}`)),
]

const helpOf = (command: Command): string => {
  let text = ''
  command.configureOutput({
    writeOut: part => {
      text += part
    },
    getOutHelpWidth: () => HELP_COLUMNS,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text.trimEnd()
}

/** A page in Markdown. */
export const writeCommands = async (): Promise<string> => {
  const program = await makeProgram([])
  const sections = namedWithin(program, 'mintmark').map(
    ([words, command]) => `## ${words}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  )
  return `# Help of each command\n\nWhat \`--help\` prints, made from the program. [The command line](../manage/command-line.md) says what holds for all.\n\n${sections.join('\n')}`
}
