// The note of an act that was not done yet: it is still there after a session ended under the question.
import { createContext } from 'react'

const KEY = 'mintmark-draft'

type Draft = { readonly act: string; readonly note: string }

const readDraft = (): Draft | undefined => {
  try {
    const { act, note } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Draft>
    return typeof act === 'string' && typeof note === 'string' ? { act, note } : undefined
  } catch {
    return undefined
  }
}

/** The one of this act, or nothing. An act is named by its command. */
export const draftOf = (act: string): string => {
  const draft = readDraft()
  return draft?.act === act ? draft.note : ''
}

/** An empty note drops that of this act alone. A browser that keeps nothing keeps no draft. */
export const keepDraft = (act: string, note: string): void => {
  try {
    if (note !== '') sessionStorage.setItem(KEY, JSON.stringify({ act, note }))
    else if (readDraft()?.act === act) sessionStorage.removeItem(KEY)
  } catch {
    // The note is lost with the session then.
  }
}

/** A form with the note that was kept. */
export const draftForm = (act: string): FormData => {
  const [form, note] = [new FormData(), draftOf(act)]
  if (note !== '') form.set('note', note)
  return form
}

/** The act whose form is shown. */
export const ActContext = createContext('')
