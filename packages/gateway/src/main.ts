// The command `mintmark-verify`.
import { ENDING_SIGNALS, handleEarlySignals } from './process/early-signals.ts'

// Before anything else is loaded. SIGHUP is for programs that read their files again: it would end this one.
handleEarlySignals({ ending: ENDING_SIGNALS, ignored: ['SIGHUP'] })

const { runCommand } = await import('./command.ts')

// Nothing in the background may keep a process that has ended its work.
process.exit(await runCommand(process.argv.slice(2)))
