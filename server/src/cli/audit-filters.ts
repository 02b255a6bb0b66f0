// The filters of the audit log, for its list and its export.
import { type Command, Option } from 'commander'
import { ACT_KINDS, ACTOR_TYPES } from '../../../api/values/audit.ts'
import { readTime, refuseUnknown } from './list-options.ts'

export type AuditFilterOptions = {
  readonly kind?: string
  readonly actorType?: string
  readonly actorId?: string
  readonly actorIss?: string
  readonly actorSub?: string
  readonly subject?: string
  readonly requestId?: string
  readonly since?: string
  readonly before?: string
}

const readKind = (text: string): string => {
  refuseUnknown(ACT_KINDS.some(kind => kind === text) ? [] : [text], ACT_KINDS)
  return text
}

export const addAuditFilters = (command: Command): Command =>
  command
    .option('--kind <kind>', 'only acts of this kind, such as agent.disable', readKind)
    .addOption(new Option('--actor-type <type>', 'only acts of this kind of actor').choices(ACTOR_TYPES))
    .option('--actor-id <id>', 'only acts of this client, API key or user at the terminal')
    .option('--actor-iss <iss>', 'only acts of operators of this identity provider')
    .option('--actor-sub <sub>', 'only acts of the operator whom the identity provider calls so')
    .option('--subject <id>', 'only acts on the agent, credential, key or token of this id')
    .option('--request-id <id>', 'only acts of this request')
    .option('--since <time>', 'only acts of then or later', readTime)
    .option('--before <time>', 'only acts of earlier', readTime)

export const auditFiltersOf = (options: AuditFilterOptions) => ({
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
