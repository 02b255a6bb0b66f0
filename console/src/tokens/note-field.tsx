// Why: for those who read the history or the audit log later.
const NOTE_CHARACTERS_MAX = 500

export const NoteField = () => (
  <label>
    Note
    <input name="note" maxLength={NOTE_CHARACTERS_MAX} placeholder="Why, for the history" autoComplete="off" />
  </label>
)

export const noteOf = (form: HTMLFormElement): string => {
  const note = new FormData(form).get('note')
  return typeof note === 'string' ? note.trim() : ''
}

/** Returns the note as options of the command. */
export const noteOptions = (form: FormData): readonly string[] => {
  const note = form.get('note')
  return typeof note === 'string' && note.trim() !== '' ? ['--note', note.trim()] : []
}
