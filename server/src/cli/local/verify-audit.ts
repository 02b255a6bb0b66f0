// mintmark audit verify
import { type Command, InvalidArgumentError } from 'commander'
import { verifyStoreAudit } from '../../compose/administration.ts'
import { readMigrateConfig } from '../../config/config.ts'
import type { AuditVerdict } from '../../domain/audit/seal.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'

type Options = { readonly seal?: number; readonly head?: string; readonly json?: boolean }

const parseSeal = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It is the number of a seal, from 1 on.')
  return Number(text)
}

const parseHead = (text: string): string => {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('It is 64 hexadecimal digits, as the log has it.')
  return text.toLowerCase()
}

const recordOf = (verdict: AuditVerdict) => {
  if (!verdict.good) return verdict
  const { good, entries, seals, last, unsealed } = verdict
  return { good, entries, seals, last_seal: last?.number ?? null, last_head: last?.head ?? null, unsealed }
}

const describe = ({ entries, seals, last, unsealed }: Extract<AuditVerdict, { good: true }>): string => {
  const open = `${unsealed} ${unsealed === 1 ? 'entry is' : 'entries are'} not sealed yet.`
  if (last === null) return `There is no seal yet. ${open}`
  return `The audit log is good: ${entries} entries in ${seals} seals. The last seal is ${last.number}, its head ${last.head}. ${open}`
}

const run = async ({ seal, head, json }: Options): Promise<void> => {
  const verdict = await verifyStoreAudit(readMigrateConfig(), { number: seal ?? null, head: head ?? null })
  if (json) printJson(recordOf(verdict))
  if (!verdict.good) {
    const { entry, tampering, because } = verdict
    throw new CommandFailed(`The audit log is not as it was sealed from entry ${entry} on (${tampering}). ${because}`)
  }
  if (!json) printLine(describe(verdict))
}

export const addVerifyAudit = (audit: Command): void => {
  const command = audit
    .command('verify')
    .description('check the audit log against its seals; needs MINTMARK_KEY_ENCRYPTION_KEY')
    .option(
      '--seal <number>',
      'demand that a seal of this number is there, as the log of the service has it',
      parseSeal,
    )
    .option('--head <hex>', 'demand that a seal with this head is there; with --seal, that one', parseHead)
    .option('--json', 'print {"good","entries","seals","last_seal","last_head","unsealed"}, or what is wrong')
  completeLocal(command, 'mintmark audit verify').action(run)
}
