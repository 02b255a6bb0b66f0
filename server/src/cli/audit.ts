// mintmark audit
import type { Command } from 'commander'
import { exportAudit } from '../../../api/exports.ts'
import { ACT_KINDS, ACTOR_TYPES, WAYS } from '../../../api/values/audit.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import { exports, leadToExport } from './lists/export-records.ts'
import { addFilters, addPaging, type PagingOptions, pagingOf, refuseUnknown } from './lists/list-options.ts'
import { addVerifyAudit } from './local/verify-audit.ts'
import { showPage } from './lists/read-list.ts'
import { findTokenId, PASTED } from './token-id.ts'
import { type Api, orWhereRefused, type Query } from './remote/api.ts'
import { type OptionRows, queryOf } from './terminal/option-rows.ts'
import { printLine, areRecords } from './terminal/print.ts'
import { readTime } from './terminal/time.ts'
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

/** Whether an act ended the token of this id, or else why none did where that is known: it may be of no token. */
export const findEnd = async (api: Api, id: string): Promise<'act' | { readonly remark: string | undefined }> => {
  if (!isUuid(id)) return { remark: undefined }
  const { data } = await api.call(rows.listAudit, { query: { ended_token: id, limit: 1 } })
  if (areRecords(data) && data.length > 0) return 'act'
  // Nothing where no token has the id, or none that the caller may see.
  const token = await orWhereRefused({}, () => api.call(showToken, { path: { id } }), [403, 404])
  return { remark: WITHOUT_ENTRY[String(token['termination_reason'])] }
}

const AUDIT_COLUMNS = ['n', 'at', 'kind', 'actor', 'subject', 'agent_name', 'owner', 'source']
const REFUSALS_COLUMNS = ['minute', 'way', 'client_id', 'agent_name', 'owner', 'source', 'count']

const readKind = (text: string): string => {
  refuseUnknown(ACT_KINDS.some(kind => kind === text) ? [] : [text], ACT_KINDS)
  return text
}

const FILTERS: OptionRows = {
  kind: ['--kind <kind>', 'only acts of this kind, such as agent.disable', readKind],
  actor_type: ['--actor-type <type>', 'only acts of this kind of actor', ACTOR_TYPES],
  actor_id: [
    '--actor-id <actor-id>',
    'only acts of this user at the terminal, or agent or API key by its id or name; =ID as it is, as for an issuer',
  ],
  actor_iss: ['--actor-iss <iss>', 'only acts of operators of this identity provider'],
  actor_sub: ['--actor-sub <operator>', 'only acts of the operator whom the identity provider calls so'],
  subject: [
    '--subject <subject-id>',
    'only acts on this agent, API key or signing key, by its id or name, on ALIAS:SUB of an issuer, or on the credential, token or other thing of this id; =ID as it is; of a token that ended with others the act that did it; - to paste the token itself',
  ],
  request_id: ['--request-id <id>', 'only acts of this request'],
  since: ['--since <time>', 'only acts of then or later', readTime],
  before: ['--before <time>', 'only acts of earlier', readTime],
}

type Asked = { readonly filters: Query; readonly remark?: string | undefined }

/** The filters as they were given; of a token those of the act that ended it. */
const findFilters = async (api: Api, options: object): Promise<Asked> => {
  const given = queryOf(options, FILTERS)
  const subject = given['subject'] === PASTED ? await findTokenId() : given['subject']
  if (typeof subject !== 'string') return { filters: given }
  const end = await findEnd(api, subject)
  if (end === 'act') return { filters: { ...given, subject: undefined, ended_token: subject } }
  return { filters: { ...given, subject }, ...end }
}

const addRemark = (shown: Shown, remark: string): Shown => ({
  ...shown,
  forPeople: async api => {
    await shown.forPeople(api)
    printLine(remark)
  },
})

const addList = (audit: Command): void => {
  const command = leadToExport(audit.command('list').description('print the audit log, newest first'), 'audit export')
  defineAdminCommand<PagingOptions>(addPaging(addFilters(command, FILTERS)), {
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
  exports(audit.command('export').description('write the audit log, newest first'), {
    row: exportAudit,
    filters: FILTERS,
    findFilters: async (options, api) => (await findFilters(api, options)).filters,
    examples: ['mintmark audit export --since 2026-11-01T00:00:00Z --format csv --output audit.csv'],
  })

const REFUSALS_FILTERS: OptionRows = {
  way: ['--way <way>', 'only attempts as a client, by API key, as an operator or issuer, or beyond a limit', WAYS],
  client_id: ['--client-id <client-id>', 'only attempts as this client, by its id or the name of its agent'],
  source: ['--source <address>', 'only attempts from this address'],
  since: ['--since <time>', 'only minutes that began then or later', readTime],
  before: ['--before <time>', 'only minutes that began earlier', readTime],
}

const addRefusals = (audit: Command): void => {
  const command = audit
    .command('refusals')
    .description('print how often authentication was refused, and tokens beyond a limit, by minute, newest first')
  defineAdminCommand<PagingOptions>(addPaging(addFilters(command, REFUSALS_FILTERS)), {
    json: 'print {"data":[…],"next_cursor":…} as GET /api/v1/audit/refusals answers it',
    examples: ['mintmark audit refusals --way client --limit 20', 'mintmark audit refusals --way limit'],
    run: ({ api, options }) => {
      const query = { ...queryOf(options, REFUSALS_FILTERS), ...pagingOf(options) }
      return showPage(api, rows.listRefusals, { query, columns: REFUSALS_COLUMNS })
    },
  })
}

export const addAudit = (program: Command): void => {
  const audit = program
    .command('audit')
    .description('the log of every act that changed something, and refused authentications')
  for (const addTo of [addList, addExport, addRefusals, addVerifyAudit]) addTo(audit)
}
