// Ends one token: at once, with a note for those who read the history later.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import { ActTrigger } from '../parts/act-trigger.tsx'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { refresh } from '../reading/refresh.ts'
import { administration } from '../reading/service.ts'
import { NoteField, noteOf } from './note-field.tsx'

export const EndToken = ({ id }: { readonly id: string }) => {
  const queryClient = useQueryClient()
  const ending = useMutation({
    mutationFn: (note: string) =>
      administration.revokeTokenById({ path: { id }, body: { ...(note !== '' && { note }) } }),
    onSettled: () => refresh(queryClient),
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    ending.mutate(noteOf(event.currentTarget))
  }
  return (
    <Dialog.Root onOpenChange={() => ending.reset()}>
      <ActTrigger asks={ACCESS.revokeTokens} text="End this token" look="danger" />
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>End this token?</Dialog.Title>
          <Dialog.Description>
            It and every token that was got for it are refused from the next request on. Nothing brings them back.
          </Dialog.Description>
          <form onSubmit={send}>
            <NoteField />
            <Command words={['mintmark', 'token', 'revoke', id]} />
            {ending.error !== null && <Fault fault={ending.error} isOfAct />}
            <div className="acts">
              <Dialog.Close disabled={ending.isPending}>Keep it</Dialog.Close>
              <button type="submit" className="danger" disabled={ending.isPending}>
                End it
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
