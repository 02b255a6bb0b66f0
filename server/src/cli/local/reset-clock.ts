// mintmark clock, mintmark clock reset
import type { Command } from 'commander'
import { resetStoreClock } from '../../compose/administration.ts'
import { readStoreConfig } from '../../config/config.ts'
import { confirm, endsEveryToken } from '../terminal/confirm.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'

const CONSEQUENCE = 'This ends every token that is alive, so that agents must ask for new ones; nothing else is lost.'

const run = async (options: { readonly yes?: boolean; readonly json?: boolean }): Promise<void> => {
  const config = readStoreConfig()
  if (options.yes !== true) await confirm(endsEveryToken(CONSEQUENCE))
  await resetStoreClock(config, cliOrigin())
  if (options.json === true) return printJson({ reset: true })
  printLine('The clock of the store is reset, and every token that was alive has ended.')
}

const addResetClock = (clock: Command): void => {
  const command = clock
    .command('reset')
    .description('accept a system clock that stands far behind the time that the store has seen; ends every token')
    .option('--json', 'print {"reset":true}')
    .option('--yes', 'do not ask')
  completeLocal(command, 'mintmark clock reset --yes').action(run)
}

export const addClock = (program: Command): void =>
  addResetClock(program.command('clock').description('the clock of the store'))
