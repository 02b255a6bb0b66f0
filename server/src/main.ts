// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { keepCompiledCode } from './cli/local/compile-cache.ts'
import { handleEarlySignals } from './cli/local/early-signals.ts'

// Before anything else is loaded.
handleEarlySignals()
keepCompiledCode()

const { runProcess } = await import('./cli/program.ts')

await runProcess(process.argv.slice(2))
