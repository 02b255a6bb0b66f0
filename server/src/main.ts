// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { endQuietlyWithReader } from './cli/terminal/print.ts'
import { runCommand } from './cli/program.ts'

endQuietlyWithReader(process.stdout)

process.exitCode = await runCommand(process.argv.slice(2))
