// Whose tokens of other issuers are whose: the subjects that credentials trust. Of one issuer no two overlap, so that
// one look at the index finds the only one that can match.
import { parseSubjectPattern } from '../../../../api/values/credentials.ts'
import type { WorkloadTrust } from '../../domain/clients/client-trust.ts'
import type { WorkloadCredential } from '../../ports/secret-repositories.ts'
import { first, only, run, type Program } from '../statement-program.ts'

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
function* findRow(issuer: string, subject: string): Program<Row | undefined> {
  const exact = yield* first<Row>(EXACT, issuer, subject)
  if (exact !== undefined) return exact
  const before = yield* first<Row>(PREFIX, issuer, subject)
  return before !== undefined && subject.startsWith(before.subject) ? before : undefined
}

/** One whose subjects begin with the text. */
function* findWithin(issuer: string, text: string): Program<Row | undefined> {
  for (const prefix of [0, 1]) {
    const row = yield* first<Row>(WITHIN, issuer, prefix, text)
    if (row?.subject.startsWith(text) === true) return row
  }
  return undefined
}

type Names = { readonly agentId: string; readonly id: string; readonly clientId: string }

const NAMES = `select a.id as "agentId", a.client_id as "clientId", c.id
  from credential c join agent a on a.n = c.agent where c.n = ?`

const patternOf = ({ subject }: WorkloadTrust) => {
  const pattern = parseSubjectPattern(subject)
  if (pattern === undefined) throw new Error('The subject of a workload was not checked.')
  return pattern
}

/** The credential that trusts a subject of this one already. An expired credential keeps its subjects until it is revoked. */
export function* overlapping(trust: WorkloadTrust): Program<Pick<Names, 'agentId' | 'id'> | undefined> {
  const { text, isPrefix } = patternOf(trust)
  const row = (yield* findRow(trust.issuer, text)) ?? (isPrefix ? yield* findWithin(trust.issuer, text) : undefined)
  if (row === undefined) return undefined
  const { agentId, id } = yield* only<Names>(NAMES, row.credential)
  return { agentId, id }
}

const KEEP = 'insert into workload (issuer, prefix, subject, credential) values (?, ?, ?, ?)'

export const keepWorkload = (trust: WorkloadTrust, credential: number): Program<number> => {
  const { text, isPrefix } = patternOf(trust)
  return run(KEEP, trust.issuer, isPrefix ? 1 : 0, text, credential)
}

export const dropWorkload = (credential: number): Program<number> =>
  run('delete from workload where credential = ?', credential)

/** Those of all credentials of an agent. */
export const dropWorkloadsOf = (agent: number): Program<number> =>
  run('delete from workload where credential in (select n from credential where agent = ?)', agent)

export function* findWorkload(issuer: string, subject: string): Program<WorkloadCredential | undefined> {
  const row = yield* findRow(issuer, subject)
  if (row === undefined) return undefined
  const { clientId, id } = yield* only<Names>(NAMES, row.credential)
  return { clientId, id }
}
