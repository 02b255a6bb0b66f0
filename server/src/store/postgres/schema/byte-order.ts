// Text is compared by its bytes, whatever the database compares by: names, ids and patterns are no words of a language.
import { SERVING_EVER } from '../connection/connection.ts'
import type { NewIndex } from './new-indexes.ts'

/**
 * Indexes of the tables that may be large, built in byte order before the column changes: PostgreSQL then keeps them as they
 * are. It rebuilds one that has a condition, so those of `subject` and `request_id` have none.
 */
export const BYTE_ORDER_INDEXES: readonly NewIndex[] = [
  { name: 'audit_kind_bytes', table: 'audit', isUnique: false, columns: '(kind collate "C", at)' },
  { name: 'audit_actor_bytes', table: 'audit', isUnique: false, columns: '(actor collate "C", at)' },
  { name: 'audit_subject_bytes', table: 'audit', isUnique: false, columns: '(subject collate "C", at)' },
  { name: 'audit_request_bytes', table: 'audit', isUnique: false, columns: '(request_id collate "C", at)' },
  {
    name: 'refused_bytes',
    table: 'refused',
    isUnique: true,
    columns: '(at, way collate "C", client collate "C", source collate "C")',
  },
]

/** Every column of text there was. */
const COLUMNS: Readonly<Record<string, string>> = {
  service: 'made_by',
  migration: 'name',
  given: 'what',
  upkeep: 'holder',
  agent:
    'id client_id name description owner labels scopes default_scope resources default_audience at_live_tokens_max',
  credential: 'id name foreign_hash trust',
  api_key: 'id name permissions audiences',
  signing_key: 'kid public_jwk key_encryption_key_id thumbprint state',
  scope_set: 'text',
  scope_set_item: 'item',
  audience_set: 'members',
  act: 'kind actor note request_id revocation_id',
  cutoff: 'conditions state revocation_id',
  audit: 'kind actor request_id subject note detail source',
  refused: 'way client source',
  idempotency: 'actor key kind subject',
  workload: 'issuer subject',
}

const ALTERED = Object.entries(COLUMNS)
  .map(([table, columns]) => {
    const altered = columns.split(' ').map(column => `alter ${column} type text collate "C"`)
    return `alter table ${table} ${altered.join(', ')};`
  })
  .join('\n')

// Statements that the previous version has prepared return columns that have changed, and PostgreSQL refuses them from then on. So
// its sessions end here: the next ones wait for the tables and prepare anew. Without a row of `service` nothing serves, and no session
// ends; a process that waits to migrate too has a session of another name.
const END_SESSIONS = `
select pg_terminate_backend(pid) from pg_stat_activity, service
  where datname = current_database() and usename = current_user
    and application_name in (${SERVING_EVER});
`

// Of two indexes that serve a statement alike PostgreSQL takes the younger: `refused_at` is made again for that.
export const BYTE_ORDER = `
${END_SESSIONS}
drop index audit_kind, audit_actor, audit_subject, audit_request, refused_at;
alter table refused drop constraint refused_at_way_client_source_key;
${ALTERED}
alter index audit_kind_bytes rename to audit_kind;
alter index audit_actor_bytes rename to audit_actor;
alter index audit_subject_bytes rename to audit_subject;
alter index audit_request_bytes rename to audit_request;
alter table refused add constraint refused_at_way_client_source_key unique using index refused_bytes;
create index refused_at on refused (at);
`
