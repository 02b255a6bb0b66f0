// The pages of docs/reference/: `npm run reference` writes them from the rows of the code, and a test holds that nothing else does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBackgroundTasks } from './background-tasks.ts'
import { writeCommands } from './commands.ts'
import { writePermissions } from './permissions.ts'
import { writeTerminationReasons } from './termination-reasons.ts'

/** The text of each page, by its path in this repository. */
export const WRITTEN_PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/background-tasks.md': writeBackgroundTasks,
  'docs/reference/commands.md': writeCommands,
  'docs/reference/permissions.md': writePermissions,
  'docs/reference/termination-reasons.md': writeTerminationReasons,
}

if (import.meta.main) {
  for (const [path, write] of Object.entries(WRITTEN_PAGES)) {
    writeFileSync(join(import.meta.dirname, '../..', path), await write())
  }
}
