// The button that opens the dialog of an act. For those who may not do the act it is disabled, and says which role may.
import * as Dialog from '@radix-ui/react-dialog'
import type { Access } from '../../../api/values/access.ts'
import { useMay } from '../reading/role.ts'
import { NotAllowed } from './not-allowed.tsx'

type ActTriggerProps = {
  readonly asks: Access
  readonly text: string
  /** For screen readers, where several buttons have the same text. */
  readonly label?: string | undefined
  readonly look?: 'danger' | 'dangerous' | undefined
}

export const ActTrigger = ({ asks, text, label, look }: ActTriggerProps) =>
  useMay(asks) ? (
    <Dialog.Trigger className={look} aria-label={label}>
      {text}
    </Dialog.Trigger>
  ) : (
    <NotAllowed asks={asks} text={text} label={label} />
  )
