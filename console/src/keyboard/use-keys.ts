// Listens to single keys: not where somebody types, not while a dialog or a menu is open.
import { useEffect, useRef } from 'react'
import { closeOpen, HELP, JUMP, type Jump, jump, KEYS, keysChoice } from './keys.ts'

/** The longest wait for the second key of a jump. */
const JUMP_MS = 1_500

const TYPED_INTO = 'input:not([type="checkbox"]), select, textarea, [contenteditable]'
const ABOVE_ALL = '[role="dialog"], [role="menu"]'

const isElsewhere = ({ target }: KeyboardEvent): boolean =>
  (target instanceof Element && target.closest(TYPED_INTO) !== null) || document.querySelector(ABOVE_ALL) !== null

export const useKeys = (jumps: readonly Jump[], onHelp: () => void): void => {
  const latest = useRef({ jumps, onHelp })
  latest.current = { jumps, onHelp }
  useEffect(() => {
    let jumpUntil = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return
      if (event.key === 'Escape') return closeOpen()
      if (keysChoice.read() === 'off') return
      const isJump = event.timeStamp < jumpUntil
      jumpUntil = event.key === JUMP && !isJump ? event.timeStamp + JUMP_MS : 0
      if (isJump) return jump(latest.current.jumps, event.key)
      if (event.key === HELP) return latest.current.onHelp()
      const found = KEYS.find(({ key }) => key === event.key)
      if (found === undefined) return
      event.preventDefault()
      found.run()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
