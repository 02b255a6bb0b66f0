// The edge of the process: arguments in, exit code out. A service that started keeps the process alive.
import { handleEarlySignals } from '../../packages/gateway/src/process/early-signals.ts'
import { keepCompiledCode } from './cli/local/compile-cache.ts'
import { ENDING_SIGNALS } from './files/unfinished.ts'

// Before anything else is loaded. `serve` and others handle theirs once they have started.
handleEarlySignals({ ending: ENDING_SIGNALS, ignored: [] })
keepCompiledCode()

// Files and look-ups of names share these threads. Node's four would all wait for a few names whose servers drop their queries.
process.env['UV_THREADPOOL_SIZE'] ??= '16'

const { runProcess } = await import('./cli/program.ts')

await runProcess(process.argv.slice(2))
