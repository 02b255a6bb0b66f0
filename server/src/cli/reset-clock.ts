// mintmark clock reset
import type { Command } from 'commander'
import { resetStoreClock } from '../compose.ts'
import { readStoreConfig } from '../config.ts'
import { StartRefused } from '../start-refused.ts'
import { cliOrigin } from './administer.ts'
import { printLine } from './print.ts'

const CONSEQUENCE = 'ends every token that is alive, so that agents must ask for new ones; nothing else is lost'

const run = async (options: { readonly yes?: boolean }): Promise<void> => {
  const config = readStoreConfig()
  if (options.yes !== true) {
    throw new StartRefused(`This ${CONSEQUENCE}. If that is meant, run it again with --yes.`)
  }
  await resetStoreClock(config, cliOrigin())
  printLine('The clock of the store is reset, and every token that was alive has ended.')
}

export const addResetClock = (clock: Command): void => {
  clock
    .command('reset')
    .description('accept a system clock that stands far behind the time that the store has seen')
    .option('--yes', `confirm: it ${CONSEQUENCE}`)
    .addHelpText('after', '\nExample:\n  mintmark clock reset --yes')
    .action(run)
}
