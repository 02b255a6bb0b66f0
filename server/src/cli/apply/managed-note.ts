// What a person should know who changes by hand what files declare.
import type { PrintedRecord } from '../terminal/print.ts'

/** Undefined where no set of files declares it. */
export const warnOfFiles = ({ managed_by: by }: PrintedRecord): string | undefined =>
  typeof by === 'string' ? `Managed by ${by}: the next \`mintmark apply\` of its files undoes this change.` : undefined
