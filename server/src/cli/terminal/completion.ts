// mintmark completion
import { Argument, type Command } from 'commander'
import { PROGRAMS } from './completion-scripts.ts'
import { placesOf } from './completion-scripts.ts'
import { addExamples } from './examples.ts'
import { printLine } from './print.ts'

const SHELLS = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]

export const addCompletion = (program: Command): void => {
  const command = program
    .command('completion')
    .description('print a script that completes commands, options and choices in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  addExamples(command, ['source <(mintmark completion bash)', 'mintmark completion fish > mintmark.fish']).action(
    (shell: keyof typeof PROGRAMS) => printLine(PROGRAMS[shell](placesOf(program))),
  )
}
