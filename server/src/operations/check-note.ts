// Checks the note that an act may carry.
import { isNote, NOTE_FORM } from '../../../api/values/note.ts'
import { refuse } from '../domain/refusal.ts'

/** The refusal of a note that is none; undefined where it is one, or there is none. */
export const refuseNote = (note: string | null): ReturnType<typeof refuse> | undefined =>
  note === null || isNote(note) ? undefined : refuse('invalid_request', `The note is not ${NOTE_FORM}.`)
