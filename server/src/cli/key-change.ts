// How commands show a signing key: as JSON all of it, to people without the public key, and with what a change may break.
import type { Shown } from './administer.ts'
import { printLine, type PrintedRecord, printRecord } from './terminal/print.ts'

/** With a remark below it. */
export const showKey = (key: PrintedRecord, remark?: string): Shown => ({
  json: key,
  forPeople: () => {
    const { public_jwk: _jwk, warning, ...rest } = key
    printRecord(rest)
    if (typeof warning === 'string') printLine(warning)
    if (remark !== undefined) printLine(remark)
  },
})

/** What `ask` must find in the answer of an act on a key. */
export const CHANGED_KEY = ['kid', 'state', 'current_kid'] as const

export const CHANGED_KEY_JSON = 'print the record of the key, "current_kid" and "warning"'

export const KID = 'its kid; `mintmark key list` shows it. One that begins with - stands after --'

/** Of the examples. */
export const EXAMPLE_KID = 'Vb3rV0mJcZ2mIY8mXx0ZJk5m1c8k1yq2nq2n0t1cH9k'
