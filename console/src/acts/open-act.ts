// The one open dialog of an act: what it shows, and whether it may be closed.
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'

/** How far the act is. Unknown: it was sent, and nothing was heard of it. */
export type Outcome = 'asked' | 'sending' | 'unknown' | 'done'

export type OpenAct = {
  readonly title: string
  readonly content: ReactNode
  /** What had the focus. */
  readonly opener: Element | null
  readonly onClose: () => void
}

type State = { readonly act: OpenAct | undefined; readonly isCloseRefused: boolean }

const CLOSED: State = { act: undefined, isCloseRefused: false }

let state = CLOSED
let outcome: Outcome = 'asked'
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

export const openAct = (title: string, content: ReactNode, onClose: () => void = () => undefined): void => {
  outcome = 'asked'
  change({ act: { title, content, opener: document.activeElement, onClose }, isCloseRefused: false })
}

/** Not while something would be lost with it: that says why. */
export const closeAct = (): void => {
  if (holds.size > 0) {
    change({ ...state, isCloseRefused: true })
    return
  }
  const { act } = state
  change(CLOSED)
  act?.onClose()
}

export const setOutcome = (now: Outcome): void => {
  outcome = now
}

export const outcomeNow = (): Outcome => outcome

export const useOpenAct = (): OpenAct | undefined => useSyncExternalStore(subscribe, () => state.act)

export const useIsCloseRefused = (): boolean => useSyncExternalStore(subscribe, () => state.isCloseRefused)

/** Keeps the dialog open; with `isOfPage` the browser asks before it leaves the page, too. */
export const useHold = (isHeld: boolean, { isOfPage = false } = {}): void => {
  useEffect(() => {
    if (!isHeld) return undefined
    const hold = {}
    holds.add(hold)
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    if (isOfPage) window.addEventListener('beforeunload', ask)
    return () => {
      holds.delete(hold)
      window.removeEventListener('beforeunload', ask)
    }
  }, [isHeld, isOfPage])
}

/** Closes the question that the end of a session left open, and says what became of it. Undefined where there was none. */
export const interruptAct = (): { readonly title: string; readonly outcome: Outcome } | undefined => {
  const { act } = state
  if (act === undefined || outcome === 'done') return undefined
  const interrupted = { title: act.title, outcome }
  change(CLOSED)
  return interrupted
}
