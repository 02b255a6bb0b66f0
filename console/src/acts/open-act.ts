// The one open dialog of an act: what it shows, how far the act is, and whether it may be closed.
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { draftOf, keepDraft } from './draft.ts'

/** How far the act is. Unknown: it was sent once, and nothing was heard of it. */
export type Outcome = 'asked' | 'sending' | 'unknown' | 'done'

export type OpenAct = {
  readonly title: string
  /** Its command, by which the note is kept. */
  readonly name: string
  readonly content: ReactNode
  /** What had the focus. */
  readonly opener: Element | null
  readonly onClose: () => void
}

type State = {
  readonly act: OpenAct | undefined
  readonly outcome: Outcome
  /** How far an act on several is, in words. */
  readonly progress?: string
  readonly isCloseRefused: boolean
}

const CLOSED: State = { act: undefined, outcome: 'asked', isCloseRefused: false }

let state = CLOSED
/** A later refusal says nothing about what was sent before. */
let isUnknown = false
const holds = new Set<object>()
const listeners = new Set<() => void>()

const change = (next: State): void => {
  state = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Opened = Pick<OpenAct, 'title' | 'name' | 'content'> & { readonly onClose?: () => void }

export const openAct = ({ onClose = () => undefined, ...act }: Opened): void => {
  isUnknown = false
  change({ ...CLOSED, act: { ...act, onClose, opener: document.activeElement } })
}

/** Closes the dialog, unless something in it would be lost: the dialog then says why it stays open. */
export const closeAct = (): void => {
  const { act } = state
  if (holds.size > 0) {
    change({ ...state, isCloseRefused: true })
    return
  }
  // The outcome stays: it decides where the focus goes.
  change({ ...CLOSED, outcome: state.outcome })
  if (act === undefined) return
  // Drops the note, except after an unknown outcome: the operator may then repeat the act with the same note.
  if (state.outcome !== 'unknown') keepDraft(act.name, '')
  act.onClose()
}

export const setOutcome = (outcome: Outcome): void => {
  isUnknown ||= outcome === 'unknown'
  change({ ...state, outcome: outcome === 'asked' && isUnknown ? 'unknown' : outcome })
}

export const setProgressText = (progress: string): void => change({ ...state, progress })

/** Whether once nothing was heard of the open act. */
export const wasUnheard = (): boolean => isUnknown

export const outcomeNow = (): Outcome => state.outcome

export const useOpenAct = (): OpenAct | undefined => useSyncExternalStore(subscribe, () => state.act)

export const useOutcome = (): Outcome => useSyncExternalStore(subscribe, () => state.outcome)

export const useIsCloseRefused = (): boolean => useSyncExternalStore(subscribe, () => state.isCloseRefused)

/** Keeps the dialog open, and has the browser ask before it leaves the page. */
export const useHold = (isHeld: boolean): void => {
  useEffect(() => {
    if (!isHeld) return undefined
    const hold = {}
    holds.add(hold)
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => {
      holds.delete(hold)
      window.removeEventListener('beforeunload', ask)
    }
  }, [isHeld])
}

export type Interrupted = Pick<State, 'outcome' | 'progress'> & { readonly title: string; readonly hasNote: boolean }

/** Closes the question that the end of a session left open, and says what became of it. One that is being sent, or has its answer, stays. */
export const interruptAct = (): Interrupted | undefined => {
  const { act, outcome, isCloseRefused: _, ...far } = state
  if (act === undefined || outcome === 'done' || outcome === 'sending') return undefined
  const interrupted = { ...far, title: act.title, outcome, hasNote: draftOf(act.name) !== '' }
  change(CLOSED)
  return interrupted
}
