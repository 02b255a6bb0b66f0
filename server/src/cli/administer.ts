// Runs an operation on agents or API keys against the configured store, as the user at the terminal.
import { userInfo } from 'node:os'
import { openRegisters, type Registers } from '../compose.ts'
import { readStoreConfig } from '../config.ts'
import type { CliCaller } from '../domain/caller.ts'
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

export const cliCaller = (): CliCaller => ({ kind: 'cli', user: userName() })

/** The answer of `operate`; its refusal ends the command. */
export const administer = async <T extends object>(
  operate: (registers: Registers, caller: CliCaller) => Promise<OrRefusal<T>>,
): Promise<T> => {
  const registers = await openRegisters(readStoreConfig())
  try {
    const answer = await operate(registers, cliCaller())
    if (isRefused(answer)) throw new CommandRefused(answer.refusal)
    return answer
  } finally {
    await registers.close()
  }
}
