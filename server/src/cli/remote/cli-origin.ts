// The user at the terminal, as the origin of an act.
import { userInfo } from 'node:os'
import type { CliCaller, Origin } from '../../domain/caller.ts'

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
