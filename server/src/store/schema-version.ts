// How old a program may be that uses a store: what the migrations say, and what is in the store by now.
import { Unavailable } from '../domain/refusal.ts'
import { first, run, type Program } from './statement-program.ts'

/** The version of the schema, and the oldest version whose program may use the store; both 0 before the first migration. */
export const SCHEMA_VERSION = `select coalesce(max(version), 0) as version,
  coalesce(max(oldest_program), 0) as "oldestProgram" from migration`

export const EXCLUDE = 'update migration set oldest_program = version where name = ? and oldest_program < version'

/** What a program must know that uses the store, by the name of its migration. */
export type Knowledge = 'lineage' | 'revocation feed' | 'exchange of JWTs' | 'blocked subjects' | 'ends of agents'

/**
 * Excludes from the store every program that lacks this knowledge: one that does not look at ancestors, once there is a token with a
 * parent; one whose ends of tokens are not in the feed, once that is open; one that takes an act
 * against the tokens of some principals for one against all of their agent's; one that issues for a blocked subject, and finds no
 * end in the number on a principal or an issuer; or one that issues for an agent beyond its end.
 */
export const excludeEarlierPrograms = (knowledge: Knowledge): Program<number> => run(EXCLUDE, knowledge)

/** `isEarlierServing`: whether a program uses the store that lacks this. */
export type Programs = { readonly isEarlierServing: (knowledge: Knowledge) => Program<boolean> }

/** Excludes them for an act that they would take for another, or would not find. */
export function* requireKnowledge(
  { isEarlierServing }: Programs,
  knowledge: Knowledge,
  unknown: string = knowledge,
): Program<void> {
  if (yield* isEarlierServing(knowledge)) {
    const toCaller = `An earlier version of Mintmark still uses the store, and knows no ${unknown}.`
    throw new Unavailable(`A program of before '${knowledge}' uses the store.`, { toCaller })
  }
  yield* excludeEarlierPrograms(knowledge)
}

/** The rows that exclude programs without this knowledge. */
const EXCLUDING = [
  ['lineage', 'lineage'],
  ['exchange of JWTs', 'principal'],
  ['blocked subjects', 'blocked_subject'],
  ['blocked subjects', 'principal where ended_seq > 0'],
  ['blocked subjects', 'trusted_issuer where ended_seq > 0'],
  ['ends of agents', 'agent where expires_at is not null'],
] as const satisfies readonly (readonly [Knowledge, string])[]

/** Excludes from a store that is made of another's rows the programs that these rows exclude. */
export function* excludeByRows(): Program<void> {
  for (const [knowledge, rows] of EXCLUDING) {
    const row = yield* first(`select 1 as found from ${rows} limit 1`)
    if (row !== undefined) yield* excludeEarlierPrograms(knowledge)
  }
}
