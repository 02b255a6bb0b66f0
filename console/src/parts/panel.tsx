// The open record beside its table: closed by its button or by Escape, anywhere on the page, and then the focus is back where it was.
import { type ReactNode, useEffect, useRef } from 'react'
import { changeQuery, current } from '../address.ts'

/** The member of the address that names the open record. */
export const OPEN = 'open'

const close = (): void => changeQuery(OPEN, null)

/** Closes the panel of a record that is gone; another one may be open by now. */
export const leave = (id: string): void => {
  if (current().query.get(OPEN) === id) close()
}

type PanelProps = { readonly title: string; readonly children: ReactNode }

export const Panel = ({ title, children }: PanelProps) => {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const panel = place.current
    panel?.focus({ preventScroll: true })
    // Above the table, and not beside it.
    if (matchMedia('(max-width: 60rem)').matches) panel?.scrollIntoView({ block: 'start' })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <aside className="panel" aria-label={title} ref={place} tabIndex={-1}>
      <header>
        <h2>{title}</h2>
        <button type="button" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </aside>
  )
}
