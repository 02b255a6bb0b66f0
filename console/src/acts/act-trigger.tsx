// The button that opens the dialog of an act. For those who may not do the act it is disabled, and says which role may.
import type { Access } from '../../../api/values/access.ts'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { useMay } from '../reading/role.ts'

type ActTriggerProps = {
  readonly asks: Access
  readonly text: string
  /** For screen readers, where several buttons have the same text. */
  readonly label?: string | undefined
  readonly look?: 'danger' | 'dangerous' | 'primary' | undefined
  readonly onOpen: () => void
}

export const ActTrigger = ({ asks, text, label, look, onOpen }: ActTriggerProps) =>
  useMay(asks) ? (
    <button type="button" aria-haspopup="dialog" className={look} aria-label={label} onClick={onOpen}>
      {text}
    </button>
  ) : (
    <NotAllowed asks={asks} text={text} label={label} />
  )
