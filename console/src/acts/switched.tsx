// What came of an act that turns something off or on: it is so now, or was so before.
import { historyWithin } from './act-of-end.ts'
import type { Done } from './act-dialog.tsx'
import { wasUnheard } from './open-act.ts'
import { NothingChanged, TheAct, WhatEnded } from './what-ended.tsx'
import type { Ends } from './would-end.tsx'

type Switched = { readonly name: string; readonly state: string; readonly changed: boolean }

const titleOf = ({ name, state, changed }: Switched): string =>
  changed || wasUnheard() ? `${name} is ${state}` : `${name} was ${state} before`

/** Tokens ended at the instant since when it is off. */
export const turnedOff = (switched: Switched, since: string | null, ends: Ends | undefined): Done => ({
  title: titleOf(switched),
  body: since !== null && (
    <>
      {!switched.changed && <NothingChanged />}
      <WhatEnded since={since} ends={switched.changed ? ends : undefined} history={historyWithin(since)} />
    </>
  ),
})

/** `subject` is what the audit log calls it. */
export const turnedOn = (switched: Switched, subject: string): Done => ({
  title: titleOf(switched),
  body: (
    <>
      {!switched.changed && <NothingChanged />}
      <TheAct subject={subject} />
    </>
  ),
})
