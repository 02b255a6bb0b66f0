// mintmark audit
import type { Command } from 'commander'
import { addVerifyAudit } from './verify-audit.ts'

export const addAudit = (program: Command): void => {
  const audit = program.command('audit').description('the log of every act that changed something')
  for (const addTo of [addVerifyAudit]) addTo(audit)
}
