// The examples at the end of a command's help. A test runs each as it stands.
import type { Command } from 'commander'

export const addExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText(
    'after',
    ['', examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map(line => `  ${line}`)].join('\n'),
  )
