// mintmark audit
import type { Command } from 'commander'
import { addExportAudit } from './export-audit.ts'
import { addListAudit } from './list-audit.ts'
import { addListRefusals } from './list-refusals.ts'
import { addVerifyAudit } from './local/verify-audit.ts'

export const addAudit = (program: Command): void => {
  const audit = program
    .command('audit')
    .description('the log of every act that changed something, and refused authentications')
  for (const addTo of [addListAudit, addExportAudit, addListRefusals, addVerifyAudit]) addTo(audit)
}
