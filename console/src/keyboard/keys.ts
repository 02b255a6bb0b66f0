// Single keys, as in a terminal: one row each. Users of speech input, or who lean on the keyboard, turn them off.
import { changeQuery, go } from '../address.ts'
import { OPEN } from '../parts/panel.tsx'
import { moveToRow } from '../lists/record-row.tsx'
import { keepChoice } from '../reading/kept.ts'

export const keysChoice = keepChoice('mintmark-single-keys', ['on', 'off'])

export const SEARCH_ID = 'search'

const ROW = '.records tbody tr[tabindex]'

/** Moves from the row that has the focus; without one, to the open row or the first. */
const moveRow = (step: 'next' | 'previous'): void => {
  const row = document.activeElement?.closest(ROW)
  if (row !== null && row !== undefined) return moveToRow(row, step)
  const first = document.querySelector<HTMLElement>(`${ROW}[aria-current]`) ?? document.querySelector<HTMLElement>(ROW)
  first?.focus()
}

export type Key = { readonly key: string; readonly title: string; readonly run: () => void }

export const KEYS: readonly Key[] = [
  { key: '/', title: 'Search', run: () => document.getElementById(SEARCH_ID)?.focus() },
  { key: 'j', title: 'Next row', run: () => moveRow('next') },
  { key: 'k', title: 'Row before', run: () => moveRow('previous') },
]

/** They hold with single keys off too: they are no letters. */
export const OTHER_KEYS: readonly { readonly key: string; readonly title: string }[] = [
  { key: '↑ ↓', title: 'Row before, next row' },
  { key: 'Enter', title: 'Open the row' },
  { key: 'Space', title: 'Choose the row; with Shift all from the last chosen one' },
  { key: 'Escape', title: 'Close what is open' },
]

/** The first key of two, of which the second names a screen. */
export const JUMP = 'g'
export const HELP = '?'

export type Jump = { readonly key: string; readonly title: string; readonly address: string }

export const jump = (jumps: readonly Jump[], key: string): void => {
  const to = jumps.find(each => each.key === key)
  if (to !== undefined) go(to.address)
}

export const closeOpen = (): void => {
  if (new URLSearchParams(window.location.search).has(OPEN)) changeQuery(OPEN, null)
}
