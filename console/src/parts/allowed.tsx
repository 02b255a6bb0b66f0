// An act for those who may do it. For others its button is disabled, and says which role may.
import type { ReactNode } from 'react'
import type { Access } from '../../../api/values/access.ts'
import { useMay } from '../reading/role.ts'

type AllowedProps = {
  readonly to: Access
  /** The text of the button, and its label where several have the same. */
  readonly act: string
  readonly label?: string
  readonly children: ReactNode
}

/** The button can be reached by keys, so that its reason can be read; it does nothing. */
export const Allowed = ({ to, act, label, children }: AllowedProps) =>
  useMay(to) ? (
    children
  ) : (
    <button
      type="button"
      className="not-allowed"
      aria-disabled="true"
      aria-label={label}
      title={`To ${to.to} takes the role ${to.role}.`}
    >
      {act}
    </button>
  )
