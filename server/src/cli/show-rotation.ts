// What a rotation made, and until when the old one is taken.
import { type Shown, show } from './administer.ts'
import { isRecord, type PrintedRecord } from './terminal/print.ts'

export const showRotation = (made: PrintedRecord, replaces: unknown, kind: 'secret' | 'key'): Shown => {
  const until = isRecord(replaces) ? replaces['expires_at'] : null
  const { forPeople } = show({ ...made, old_one_expires_at: until }, `Keep the ${kind}: it is shown this once.`)
  return { json: made, forPeople }
}
