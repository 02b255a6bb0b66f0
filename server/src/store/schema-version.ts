// How old a program may be that uses a store: what the migrations say, and what is in the store by now.
import { run, type Program } from './statement-program.ts'

/** The version of the schema, and the oldest version whose program may use the store; both 0 before the first migration. */
export const SCHEMA_VERSION = `select coalesce(max(version), 0) as version,
  coalesce(max(oldest_program), 0) as "oldestProgram" from migration`

const EXCLUDE = `update migration set oldest_program = version where name = 'lineage' and oldest_program < version`

/** From the first token with a parent on no program may use the store that does not look at ancestors. */
export const excludeEarlierPrograms = (): Program<number> => run(EXCLUDE)
