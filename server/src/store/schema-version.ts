// How old a program may be that uses a store: what the migrations say, and what is in the store by now.
import { first, run, type Program } from './statement-program.ts'

/** The version of the schema, and the oldest version whose program may use the store; both 0 before the first migration. */
export const SCHEMA_VERSION = `select coalesce(max(version), 0) as version,
  coalesce(max(oldest_program), 0) as "oldestProgram" from migration`

export const EXCLUDE = 'update migration set oldest_program = version where name = ? and oldest_program < version'

/** What a program must know that uses the store, by the name of its migration. */
export type Knowledge = 'lineage' | 'revocation feed' | 'exchange of JWTs'

/**
 * Excludes from the store every program that lacks this knowledge: one that does not look at ancestors, once there is a token with a
 * parent; one whose ends of tokens are not in the feed, once that is open; or one that takes an act
 * against the tokens of some principals for one against all of their agent's.
 */
export const excludeEarlierPrograms = (knowledge: Knowledge): Program<number> => run(EXCLUDE, knowledge)

/** The tables of which a row excludes programs without this knowledge. */
const EXCLUDING = [
  ['lineage', 'lineage'],
  ['exchange of JWTs', 'principal'],
] as const satisfies readonly (readonly [Knowledge, string])[]

/** Excludes from a store that is made of another's rows the programs that these rows exclude. */
export function* excludeByRows(): Program<void> {
  for (const [knowledge, table] of EXCLUDING) {
    const row = yield* first(`select 1 as found from ${table} limit 1`)
    if (row !== undefined) yield* excludeEarlierPrograms(knowledge)
  }
}
