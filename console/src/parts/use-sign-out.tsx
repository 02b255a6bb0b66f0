// The end of the session. An operator who leaves must know that it failed.
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { signOut } from '../reading/service.ts'
import { Fault } from './fault.tsx'

type SignOut = { readonly signOut: () => void; readonly fault: ReactNode }

export const useSignOut = (): SignOut => {
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => window.location.reload() })
  const fault = leaving.error === null ? null : <Fault fault={leaving.error} isOfAct />
  return { signOut: () => leaving.mutate(), fault }
}
