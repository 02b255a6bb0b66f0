// mintmark audit list
import { type Command, Option } from 'commander'
import type { Actor } from '../domain/act.ts'
import { ACTOR_TYPES, type AuditEntry, type AuditFilters, entryRecord } from '../domain/audit.ts'
import type { Milliseconds } from '../domain/time.ts'
import { listAudit } from '../operations/list-audit.ts'
import { administer } from './administer.ts'
import { formatActor } from './format-actor.ts'
import { addPaging, type PagingOptions, pagingOf, printPage, readTime } from './list-options.ts'

type Options = PagingOptions & {
  readonly kind?: string
  readonly actorType?: Actor['type']
  readonly actorId?: string
  readonly actorIss?: string
  readonly actorSub?: string
  readonly subject?: string
  readonly requestId?: string
  readonly since?: Milliseconds
  readonly before?: Milliseconds
}

const COLUMNS = ['n', 'at', 'kind', 'actor', 'subject', 'source']

const filtersOf = (options: Options): AuditFilters => ({
  kind: options.kind ?? null,
  actorType: options.actorType ?? null,
  actorId: options.actorId ?? null,
  actorIss: options.actorIss ?? null,
  actorSub: options.actorSub ?? null,
  subject: options.subject ?? null,
  requestId: options.requestId ?? null,
  since: options.since ?? null,
  before: options.before ?? null,
})

const shorten = ({ actor }: AuditEntry) => ({ actor: formatActor(actor) })

const run = async (options: Options): Promise<void> => {
  const request = { filters: filtersOf(options), ...pagingOf(options) }
  const page = await administer((ports, { caller }) => listAudit(ports, caller, request))
  printPage({ page, columns: COLUMNS, format: entryRecord, shorten }, options.json ?? false)
}

export const addListAudit = (audit: Command): void => {
  const list = audit
    .command('list')
    .description('print the audit log, newest first')
    .option('--kind <kind>', 'only acts of this kind')
    .addOption(new Option('--actor-type <type>', 'only acts of this kind of actor').choices(ACTOR_TYPES))
    .option('--actor-id <id>', 'only acts of this client, API key or user at the terminal')
    .option('--actor-iss <iss>', 'only acts of operators of this identity provider')
    .option('--actor-sub <sub>', 'only acts of the operator whom the identity provider calls so')
    .option('--subject <id>', 'only acts on the agent, credential, key or token of this id')
    .option('--request-id <id>', 'only acts of this request')
    .option('--since <time>', 'only acts of then or later', readTime)
    .option('--before <time>', 'only acts of earlier', readTime)
  addPaging(list)
    .option('--json', 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit answers it')
    .addHelpText('after', '\nExample:\n  mintmark audit list --kind agent.disable --since 2026-11-21T00:00:00Z')
    .action(run)
}
