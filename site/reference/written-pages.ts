// The pages of docs/reference/, and docs/statement.md: `npm run reference` writes them from the rows of the code, and a test holds that nothing else does.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAlerts } from './alerts.ts'
import { writeAuditKinds } from './audit-kinds.ts'
import { writeBackgroundTasks } from './background-tasks.ts'
import { writeCommands } from './commands.ts'
import { writeDoctorChecks } from './doctor-checks.ts'
import { writeLimits } from './limits.ts'
import { writePermissions } from './permissions.ts'
import { STANDARDS, writeNotMet, writeStandard } from './standards.ts'
import { writeStatement } from './statement.ts'
import { writeErrors, writeExportColumns, writeLogEvents, writeMetrics, writeSettings } from './tables.ts'
import { writeTerminationReasons } from './termination-reasons.ts'

type Write = () => string | Promise<string>

/** The text of each page, by its path in this repository. */
export const WRITTEN_PAGES: Readonly<Record<string, Write>> = {
  'docs/reference/alerts.md': writeAlerts,
  'docs/reference/audit-kinds.md': writeAuditKinds,
  'docs/reference/background-tasks.md': writeBackgroundTasks,
  'docs/reference/commands.md': writeCommands,
  'docs/reference/doctor-checks.md': writeDoctorChecks,
  'docs/reference/errors.md': writeErrors,
  'docs/reference/export-columns.md': writeExportColumns,
  'docs/reference/limits.md': writeLimits,
  'docs/reference/log-events.md': writeLogEvents,
  'docs/reference/metrics.md': writeMetrics,
  'docs/reference/not-met.md': writeNotMet,
  'docs/reference/permissions.md': writePermissions,
  'docs/reference/settings.md': writeSettings,
  'docs/reference/termination-reasons.md': writeTerminationReasons,
  'docs/statement.md': writeStatement,
  ...Object.fromEntries(
    STANDARDS.map(standard => [`docs/reference/${standard.id}.md`, () => writeStandard(standard)] as const),
  ),
}

if (import.meta.main) {
  for (const [path, write] of Object.entries(WRITTEN_PAGES)) {
    writeFileSync(join(import.meta.dirname, '../..', path), await write())
  }
}
