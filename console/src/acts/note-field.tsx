// Why: for those who read the history or the audit log later.
import { useContext } from 'react'
import { textIn } from '../parts/form-fields.tsx'
import { ActContext, draftOf } from './draft.ts'

const NOTE_CHARACTERS_MAX = 500

export const NoteField = () => (
  <label>
    Note
    <input
      name="note"
      maxLength={NOTE_CHARACTERS_MAX}
      placeholder="Why, for the history"
      autoComplete="off"
      defaultValue={draftOf(useContext(ActContext))}
    />
  </label>
)

/** As a member of a request. */
export const noteIn = (form: FormData): { readonly note?: string } => {
  const note = textIn(form, 'note')
  return note === '' ? {} : { note }
}

/** Returns the note as options of the command. */
export const noteOptions = (form: FormData): readonly string[] => {
  const note = textIn(form, 'note')
  return note === '' ? [] : ['--note', note]
}
