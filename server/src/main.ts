// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { keepCompiledCode } from './cli/compile-cache.ts'

// Before anything else is loaded.
keepCompiledCode()

const [{ runCommand }, { endQuietlyWithReader }] = await Promise.all([
  import('./cli/program.ts'),
  import('./cli/terminal/print.ts'),
])

endQuietlyWithReader(process.stdout)

process.exitCode = await runCommand(process.argv.slice(2))
