// A link within the console: the browser's own, which does not load the page again.
import type { MouseEvent, ReactNode } from 'react'
import { go } from '../address.ts'

type LinkProps = {
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
  readonly isCurrent?: boolean
  /** Called before it goes there, in this tab. */
  readonly onGo?: () => void
}

/** A click that asks for a new tab opens one. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

export const Link = ({ to, children, className, isCurrent = false, onGo }: LinkProps) => (
  <a
    href={to}
    className={className}
    aria-current={isCurrent ? 'page' : undefined}
    onClick={event => {
      if (!isPlain(event)) return
      event.preventDefault()
      onGo?.()
      go(to)
    }}
  >
    {children}
  </a>
)
