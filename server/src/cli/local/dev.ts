// mintmark dev
import type { Command } from 'commander'
import { timingOf } from '../../compose/timing.ts'
import { readDevConfig } from '../../config/config.ts'
import { startDev } from '../../dev/start-dev.ts'
import { closeAtSignal } from './close-at-signal.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { completeLocal } from './local-only.ts'
import { printLine } from '../terminal/print.ts'

/** No balancer stands before it. */
const timing = timingOf({ drainSeconds: 0 })

const run = async (): Promise<void> => {
  const { banner, close, ...logs } = await startDev(readDevConfig(), cliOrigin(), timing)
  closeAtSignal({ timing, ...logs }, close)
  printLine(banner)
}

export const addDev = (program: Command): void => {
  const command = program
    .command('dev')
    .description('run everything on this machine: store, identity provider, a demo agent and an API key')
  completeLocal(command, 'mintmark dev').action(run)
}
