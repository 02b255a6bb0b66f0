// mintmark clock
import type { Command } from 'commander'
import { addResetClock } from './reset-clock.ts'

export const addClock = (program: Command): void =>
  addResetClock(program.command('clock').description('the clock of the store'))
