// mintmark completion
import { Argument, type Command } from 'commander'
import { SCRIPTS } from './completion-scripts.ts'
import { placesOf } from './completion-tree.ts'
import { addExamples } from './examples.ts'
import { printLine } from './print.ts'

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]

export const addCompletion = (program: Command): void => {
  const command = program
    .command('completion')
    .description('print a script that completes commands, options and choices in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  addExamples(command, ['source <(mintmark completion bash)', 'mintmark completion fish > mintmark.fish']).action(
    (shell: keyof typeof SCRIPTS) => printLine(SCRIPTS[shell](placesOf(program))),
  )
}
