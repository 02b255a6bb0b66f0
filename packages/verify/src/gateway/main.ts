// The command `mintmark-verify`.
import { handleEarlySignals } from './early-signals.ts'

// Before anything else is loaded.
handleEarlySignals()

const { runCommand } = await import('./command.ts')

// Nothing in the background may keep a process that has ended its work.
process.exit(await runCommand(process.argv.slice(2)))
