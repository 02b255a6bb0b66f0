// mintmark revocation create
import type { Command } from 'commander'
import { BULK_REVOCATION_REASONS } from '../domain/reason.ts'
import type { RevocationRequest } from '../operations/check-revocation.ts'
import { createRevocation } from '../operations/create-revocation.ts'
import { previewRevocation } from '../operations/preview-revocation.ts'
import { administer } from './administer.ts'
import { confirm } from './confirm.ts'
import { readTime } from './list-options.ts'
import { consequenceOf, printPreview, printRevocation } from './revocation-record.ts'

type Options = {
  readonly agent?: string
  readonly credential?: string
  readonly scope?: string
  readonly audience?: string
  readonly kid?: string
  readonly issuedBefore?: number
  readonly all?: boolean
  readonly reason?: string
  readonly note?: string
  readonly id?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

const requestOf = (options: Options): RevocationRequest => ({
  id: options.id ?? null,
  conditions: {
    agentId: options.agent ?? null,
    credentialId: options.credential ?? null,
    scope: options.scope ?? null,
    audience: options.audience ?? null,
    kid: options.kid ?? null,
    issuedBefore: options.issuedBefore ?? null,
  },
  all: options.all ?? false,
  reason: options.reason ?? null,
  note: options.note ?? null,
})

const run = async (options: Options): Promise<void> => {
  const request = requestOf(options)
  const asJson = options.json ?? false
  const preview = () => administer((ports, { caller }) => previewRevocation(ports, caller, request))
  if (options.dryRun === true) return printPreview(await preview(), asJson)
  if (options.yes !== true) await confirm(consequenceOf(request.conditions, await preview()))
  const { revocation } = await administer((ports, origin) => createRevocation(ports, origin, request))
  printRevocation(revocation, asJson)
}

export const addCreateRevocation = (revocation: Command): void => {
  revocation
    .command('create')
    .description('end every token for which all of the conditions hold, at once and for good')
    .option('--agent <agent-id>', 'the tokens of this agent')
    .option('--credential <credential-id>', 'the tokens got with this credential')
    .option('--scope <item>', 'the tokens that carry this item; "db:*" for any item of db')
    .option('--audience <uri>', 'the tokens for this audience, among others perhaps')
    .option('--kid <kid>', 'the tokens that this key signed')
    .option('--issued-before <time>', 'the tokens issued before this time, which is not in the future', readTime)
    .option('--all', 'every token, instead of any condition')
    .option('--reason <reason>', `one of ${BULK_REVOCATION_REASONS.join(', ')}; the first unless given`)
    .option('--note <text>', 'for those who read the history later')
    .option('--id <uuid>', 'an id of your own: repeated with the same conditions, nothing more ends')
    .option('--dry-run', 'count what would end, show a few, and end nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'print the revocation as POST /api/v1/revocations answers it')
    .addHelpText(
      'after',
      '\nExamples:\n  mintmark revocation create --scope db:write --dry-run\n  mintmark revocation create --audience https://orders.example --reason secret_leaked --note "ticket 4711" --yes',
    )
    .action(run)
}
