// Stops an agent: it gets no token any more, and those that it has end with all that was got for them.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import { ActTrigger } from '../parts/act-trigger.tsx'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { refresh } from '../reading/refresh.ts'
import { administration } from '../reading/service.ts'
import { NoteField, noteOf } from '../tokens/note-field.tsx'

type StopAgentProps = { readonly id: string; readonly name: string }

export const StopAgent = ({ id, name }: StopAgentProps) => {
  const queryClient = useQueryClient()
  const stopping = useMutation({
    mutationFn: (note: string) => administration.disableAgent({ path: { id }, body: { ...(note !== '' && { note }) } }),
    onSettled: () => refresh(queryClient),
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    stopping.mutate(noteOf(event.currentTarget))
  }
  return (
    <Dialog.Root onOpenChange={() => stopping.reset()}>
      <ActTrigger asks={ACCESS.stopAgents} text="Stop" label={`Stop ${name}`} look="danger" />
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>Stop {name}?</Dialog.Title>
          <Dialog.Description>
            It gets no token until an administrator enables it again. All its tokens end now, with everything that was
            got for them; they do not come back.
          </Dialog.Description>
          <form onSubmit={send}>
            <NoteField />
            <Command words={['mintmark', 'agent', 'disable', id]} />
            {stopping.error !== null && <Fault fault={stopping.error} isOfAct />}
            <div className="acts">
              <Dialog.Close disabled={stopping.isPending}>Let it go on</Dialog.Close>
              <button type="submit" className="danger" disabled={stopping.isPending}>
                Stop it
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
