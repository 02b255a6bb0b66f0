// Why: for those who read the history or the audit log later.
import { useContext, useEffect, useId, useRef, useState } from 'react'
import { isNote, NOTE_FORM } from '../../../api/values/name.ts'
import { textIn } from '../parts/form-fields.tsx'
import { ActContext, draftOf } from './draft.ts'

const WRONG = `This is not ${NOTE_FORM}. It may contain characters that nobody sees.`

/** The browser sends no form whose note is wrong, be it typed or a draft. */
export const NoteField = () => {
  const act = useContext(ActContext)
  const [note, setNote] = useState(() => draftOf(act))
  const field = useRef<HTMLInputElement>(null)
  const wrongId = useId()
  // As it is sent: without spaces around it, or not at all.
  const sent = note.trim()
  const isWrong = sent !== '' && !isNote(sent)
  useEffect(() => field.current?.setCustomValidity(isWrong ? WRONG : ''), [isWrong])
  return (
    <>
      <label>
        Note
        <input
          ref={field}
          name="note"
          placeholder="Why, for the history"
          autoComplete="off"
          value={note}
          onChange={event => setNote(event.target.value)}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? wrongId : undefined}
        />
      </label>
      {isWrong && (
        <span id={wrongId} role="alert" className="wrong">
          {WRONG}
        </span>
      )}
    </>
  )
}

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
