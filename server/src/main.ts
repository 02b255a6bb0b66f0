// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { runCommand } from './cli/program.ts'

// The store and the files beside it are for this user alone.
process.umask(0o077)

process.exitCode = await runCommand(process.argv.slice(2))
