// mintmark audit
import { type Command, Option } from 'commander'
import { exportAudit } from '../../../api/exports.ts'
import { ACT_KINDS, ACTOR_TYPES, WAYS } from '../../../api/values/audit.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import { type ExportOptions, exports } from './lists/export-records.ts'
import { addPaging, type PagingOptions, pagingOf, refuseUnknown } from './lists/list-options.ts'
import { addVerifyAudit } from './local/verify-audit.ts'
import { showPage } from './lists/read-list.ts'
import { findTokenId, PASTED } from './token-id.ts'
import { type Api, ApiRefusal } from './remote/api.ts'
import { printLine, areRecords, type PrintedRecord } from './terminal/print.ts'
import { addTimeHelp, readTime } from './terminal/time.ts'
import { listAudit } from '../../../api/audit.ts'
import { showToken } from '../../../api/tokens.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import * as rows from '../../../api/audit.ts'

// Why the audit log has no act that ended a token.

/** Ends of which the audit log has no entry. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  expired: 'The token expired: nobody ended it.',
  superseded:
    'The token was superseded: its agent got another one at its limit of live tokens. The audit log has no entry of that.',
}

/** Undefined where no token has the id, or none that the caller may see. */
const lookUp = async (api: Api, id: string): Promise<PrintedRecord | undefined> => {
  try {
    return await api.call(showToken, { path: { id } })
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

/** Whether an act ended the token of this id, or else why none did where that is known: it may be of no token. */
export const findEnd = async (api: Api, id: string): Promise<'act' | { readonly remark: string | undefined }> => {
  if (!isUuid(id)) return { remark: undefined }
  const { data } = await api.call(listAudit, { query: { ended_token: id, limit: 1 } })
  if (areRecords(data) && data.length > 0) return 'act'
  const token = await lookUp(api, id)
  return { remark: WITHOUT_ENTRY[String(token?.['termination_reason'])] }
}

type TimeOptions = { readonly since?: string; readonly before?: string }

type AuditFilterOptions = TimeOptions & {
  readonly kind?: string
  readonly actorType?: string
  readonly actorId?: string
  readonly actorIss?: string
  readonly actorSub?: string
  readonly subject?: string
  readonly requestId?: string
}

const AUDIT_COLUMNS = ['n', 'at', 'kind', 'actor', 'subject', 'agent_name', 'owner', 'source']
const REFUSALS_COLUMNS = ['minute', 'way', 'client_id', 'agent_name', 'owner', 'source', 'count']

const readKind = (text: string): string => {
  refuseUnknown(ACT_KINDS.some(kind => kind === text) ? [] : [text], ACT_KINDS)
  return text
}

const addAuditFilters = (command: Command): Command =>
  addTimeHelp(command)
    .option('--kind <kind>', 'only acts of this kind, such as agent.disable', readKind)
    .addOption(new Option('--actor-type <type>', 'only acts of this kind of actor').choices(ACTOR_TYPES))
    .option(
      '--actor-id <actor-id>',
      'only acts of this user at the terminal, or agent or API key by its id or name; =ID as it is',
    )
    .option('--actor-iss <iss>', 'only acts of operators of this identity provider')
    .option('--actor-sub <sub>', 'only acts of the operator whom the identity provider calls so')
    .option(
      '--subject <subject-id>',
      'only acts on this agent, API key or signing key, by its id or name, or on the credential, token or other thing of this id; of a token that ended with others the act that did it; - to paste the token itself',
    )
    .option('--request-id <id>', 'only acts of this request')
    .option('--since <time>', 'only acts of then or later', readTime)
    .option('--before <time>', 'only acts of earlier', readTime)

const auditFiltersOf = (options: AuditFilterOptions) => ({
  kind: options.kind,
  actor_type: options.actorType,
  actor_id: options.actorId,
  actor_iss: options.actorIss,
  actor_sub: options.actorSub,
  subject: options.subject,
  request_id: options.requestId,
  since: options.since,
  before: options.before,
})

type Filters = ReturnType<typeof auditFiltersOf>

type Asked = {
  readonly filters: Filters & { readonly ended_token?: string }
  readonly remark?: string | undefined
}

/** The filters as they were given; of a token those of the act that ended it. */
const findFilters = async (api: Api, options: AuditFilterOptions): Promise<Asked> => {
  const subject = options.subject === PASTED ? await findTokenId() : options.subject
  const filters = { ...auditFiltersOf(options), subject }
  if (subject === undefined) return { filters }
  const end = await findEnd(api, subject)
  return end === 'act' ? { filters: { ...filters, subject: undefined, ended_token: subject } } : { filters, ...end }
}

const addRemark = (shown: Shown, remark: string): Shown => ({
  ...shown,
  forPeople: async api => {
    await shown.forPeople(api)
    printLine(remark)
  },
})

const addList = (audit: Command): void => {
  const command = audit.command('list').description('print the audit log, newest first')
  defineAdminCommand<AuditFilterOptions & PagingOptions>(addPaging(addAuditFilters(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit answers it',
    examples: [
      'mintmark audit list --kind agent.disable --since 2026-11-21T00:00:00Z',
      'mintmark audit list --subject 019aa5a0-6f3c-7c1e-9d0f-2b1a7c3e9a10',
    ],
    run: async ({ api, options }) => {
      const { filters, remark } = await findFilters(api, options)
      const shown = await showPage(api, rows.listAudit, {
        query: { ...filters, ...pagingOf(options) },
        columns: AUDIT_COLUMNS,
      })
      return remark === undefined ? shown : addRemark(shown, remark)
    },
  })
}

const addExport = (audit: Command): void =>
  exports<AuditFilterOptions & ExportOptions>(
    addAuditFilters(audit.command('export').description('write the audit log, newest first')),
    {
      row: exportAudit,
      queryOf: async (options, api) => (await findFilters(api, options)).filters,
      examples: ['mintmark audit export --since 2026-11-01T00:00:00Z --format csv --output audit.csv'],
    },
  )

type RefusalsOptions = PagingOptions & TimeOptions & Readonly<Partial<Record<'way' | 'clientId' | 'source', string>>>

const refusalsQueryOf = (options: RefusalsOptions) => {
  const { way, clientId, source, since, before } = options
  return { way, client_id: clientId, source, since, before, ...pagingOf(options) }
}

const addRefusals = (audit: Command): void => {
  const way = new Option('--way <way>', 'only attempts as a client, by API key, as an operator, or beyond a limit')
  const command = audit
    .command('refusals')
    .description('print how often authentication was refused, and tokens beyond a limit, by minute, newest first')
    .addOption(way.choices(WAYS))
    .option('--client-id <client-id>', 'only attempts as this client, by its id or the name of its agent')
    .option('--source <address>', 'only attempts from this address')
    .option('--since <time>', 'only minutes that began then or later', readTime)
    .option('--before <time>', 'only minutes that began earlier', readTime)
  defineAdminCommand<RefusalsOptions>(addPaging(addTimeHelp(command)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit/refusals answers it',
    examples: ['mintmark audit refusals --way client --limit 20', 'mintmark audit refusals --way limit'],
    run: ({ api, options }) =>
      showPage(api, rows.listRefusals, { query: refusalsQueryOf(options), columns: REFUSALS_COLUMNS }),
  })
}

export const addAudit = (program: Command): void => {
  const audit = program
    .command('audit')
    .description('the log of every act that changed something, and refused authentications')
  for (const addTo of [addList, addExport, addRefusals, addVerifyAudit]) addTo(audit)
}
