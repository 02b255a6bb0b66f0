// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps compiled code for the next command, which then needs half the processor time. In a folder of the user's own: whoever
 * can write there decides what runs. Where there is none, or it cannot be written, nothing is kept.
 */
const keepCompiledCode = (): void => {
  try {
    enableCompileCache(join(homedir(), '.cache', 'mintmark'))
  } catch {
    // A container may run as a user id without a home.
  }
}

keepCompiledCode()

const [{ runCommand }, { endQuietlyWithReader }] = await Promise.all([
  import('./cli/program.ts'),
  import('./cli/terminal/print.ts'),
])

endQuietlyWithReader(process.stdout)

process.exitCode = await runCommand(process.argv.slice(2))
