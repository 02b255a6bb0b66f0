// Runs an operation against the configured store, as the user at the terminal.
import { userInfo } from 'node:os'
import { openRegisters, type Registers } from '../compose.ts'
import { readCommandConfig } from '../config.ts'
import type { CliCaller, Origin } from '../domain/caller.ts'
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import { CommandRefused } from './exit.ts'

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user id without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The user at the terminal, as the origin of an act. */
export const cliOrigin = (): Origin<CliCaller> => ({
  caller: { kind: 'cli', user: userName() },
  requestId: null,
  source: null,
})

/** The answer of `operate`; its refusal ends the command. */
export const administer = async <T extends object>(
  operate: (registers: Registers, origin: Origin<CliCaller>) => Promise<OrRefusal<T>>,
): Promise<T> => {
  const registers = await openRegisters(readCommandConfig())
  try {
    const answer = await operate(registers, cliOrigin())
    if (isRefused(answer)) throw new CommandRefused(answer.refusal)
    return answer
  } finally {
    await registers.close()
  }
}
