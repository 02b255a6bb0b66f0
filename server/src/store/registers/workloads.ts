// Whose tokens of other issuers are whose: the subjects that credentials trust. Of one issuer no two overlap, so that
// one look at the index finds the only one that can match.
import { parseSubjectPattern, type WorkloadTrust } from '../../domain/client-trust.ts'
import type { WorkloadCredential } from '../../ports/secret-registers.ts'
import type { Statements } from '../sqlite/statements.ts'

type Row = { readonly subject: string; readonly credential: number }

const EXACT = 'select subject, credential from workload where issuer = ? and prefix = 0 and subject = ?'
const PREFIX = `select subject, credential from workload
  where issuer = ? and prefix = 1 and subject <= ? order by subject desc limit 1`
const WITHIN = `select subject, credential from workload
  where issuer = ? and prefix = ? and subject >= ? order by subject limit 1`

/**
 * Every text between a beginning and what begins with it begins with it too, so that of beginnings that do not overlap
 * the last one up to the subject is the only one that can be its own.
 */
const findRow = (sql: Statements, issuer: string, subject: string): Row | undefined => {
  const exact = sql<Row>(EXACT).get(issuer, subject)
  if (exact !== undefined) return exact
  const before = sql<Row>(PREFIX).get(issuer, subject)
  return before !== undefined && subject.startsWith(before.subject) ? before : undefined
}

/** One whose subjects begin with the text. */
const findWithin = (sql: Statements, issuer: string, text: string): Row | undefined =>
  [0, 1].map(prefix => sql<Row>(WITHIN).get(issuer, prefix, text)).find(row => row?.subject.startsWith(text))

const namesOf = (sql: Statements, credential: number): { agentId: string; id: string; clientId: string } => {
  const select = `select a.id as agentId, a.client_id as clientId, c.id
    from credential c join agent a on a.n = c.agent where c.n = ?`
  const names = sql<{ agentId: string; id: string; clientId: string }>(select).get(credential)
  if (names === undefined) throw new Error('The store trusts a workload for nobody.')
  return names
}

const patternOf = ({ subject }: WorkloadTrust) => {
  const pattern = parseSubjectPattern(subject)
  if (pattern === undefined) throw new Error('The subject of a workload was not checked.')
  return pattern
}

/** What trusts a subject that this one would trust too. One that has expired holds its subjects until it is revoked. */
export const overlapping = (sql: Statements, trust: WorkloadTrust): { agentId: string; id: string } | undefined => {
  const { text, isPrefix } = patternOf(trust)
  const row = findRow(sql, trust.issuer, text) ?? (isPrefix ? findWithin(sql, trust.issuer, text) : undefined)
  if (row === undefined) return undefined
  const { agentId, id } = namesOf(sql, row.credential)
  return { agentId, id }
}

export const keepWorkload = (sql: Statements, trust: WorkloadTrust, credential: number): void => {
  const { text, isPrefix } = patternOf(trust)
  const insert = 'insert into workload (issuer, prefix, subject, credential) values (?, ?, ?, ?)'
  sql(insert).run(trust.issuer, isPrefix ? 1 : 0, text, credential)
}

export const dropWorkload = (sql: Statements, credential: number): void =>
  void sql('delete from workload where credential = ?').run(credential)

/** Those of all credentials of an agent. */
export const dropWorkloadsOf = (sql: Statements, agent: number): void =>
  void sql('delete from workload where credential in (select n from credential where agent = ?)').run(agent)

export const findWorkload = (sql: Statements, issuer: string, subject: string): WorkloadCredential | undefined => {
  const row = findRow(sql, issuer, subject)
  if (row === undefined) return undefined
  const { clientId, id } = namesOf(sql, row.credential)
  return { clientId, id }
}
