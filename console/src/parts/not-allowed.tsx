// The button of an act that the operator's role may not do.
import type { Access } from '../../../api/values/access.ts'

type NotAllowedProps = {
  readonly asks: Access
  readonly text: string
  /** For screen readers, where several buttons have the same text. */
  readonly label?: string | undefined
}

/** It can be reached by keys, so that its reason can be read; it does nothing. */
export const NotAllowed = ({ asks, text, label }: NotAllowedProps) => (
  <button
    type="button"
    className="not-allowed"
    aria-disabled="true"
    aria-label={label}
    title={`To ${asks.to} takes the role ${asks.role}.`}
  >
    {text}
  </button>
)
