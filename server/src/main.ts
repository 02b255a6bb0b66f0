// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { runCommand } from './cli/program.ts'

process.exitCode = await runCommand(process.argv.slice(2))
