// An act in a dialog: what it does, its form, the command that does the same, and what came of it.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Access } from '../../../api/values/access.ts'
import { refresh } from '../reading/refresh.ts'
import { ActTrigger } from './act-trigger.tsx'
import { Command } from './command.tsx'
import { Fault } from './fault.tsx'

type ActDialogProps<Made> = {
  readonly asks: Access
  /** The text of the button that opens it. */
  readonly trigger: string
  /** The label for screen readers, where several buttons have the same text. */
  readonly triggerLabel?: string
  readonly isDangerous?: boolean
  readonly title: string
  readonly about: string
  readonly submit: string
  readonly keep?: string
  /** Something that must be typed exactly before it can be sent. */
  readonly typed?: string
  readonly fields?: (form: FormData) => ReactNode
  readonly commandOf: (form: FormData) => readonly string[]
  readonly act: (form: FormData) => Promise<Made>
  /** Shown when it is done; without it the dialog closes. */
  readonly done?: (made: Made) => ReactNode
  readonly onDone?: (made: Made) => void
}

const Typed = ({ phrase, onTyped }: { readonly phrase: string; readonly onTyped: (isRight: boolean) => void }) => (
  <label>
    <span>
      Type <bdi className="mono">{phrase}</bdi>
    </span>
    <input autoComplete="off" spellCheck={false} onChange={event => onTyped(event.target.value === phrase)} />
  </label>
)

const ActForm = <Made,>(props: ActDialogProps<Made> & { readonly onMade: (made: Made) => void }) => {
  const { submit, keep = 'Leave it', typed, fields, isDangerous = false, commandOf, act, onMade } = props
  const queryClient = useQueryClient()
  const [form, setForm] = useState(() => new FormData())
  const [isTyped, setTyped] = useState(typed === undefined)
  const acting = useMutation({
    mutationFn: act,
    onSuccess: onMade,
    onSettled: () => refresh(queryClient),
    // It may hold a secret.
    gcTime: 0,
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    acting.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={send} onChange={event => setForm(new FormData(event.currentTarget))}>
      {fields?.(form)}
      {typed !== undefined && <Typed phrase={typed} onTyped={setTyped} />}
      <Command words={commandOf(form)} />
      {acting.error !== null && <Fault fault={acting.error} isOfAct />}
      <div className="acts">
        <Dialog.Close disabled={acting.isPending}>{keep}</Dialog.Close>
        <button type="submit" className={isDangerous ? 'danger' : 'primary'} disabled={acting.isPending || !isTyped}>
          {submit}
        </button>
      </div>
    </form>
  )
}

export const ActDialog = <Made,>(props: ActDialogProps<Made>) => {
  const { asks, trigger, triggerLabel, title, about, isDangerous = false, done, onDone } = props
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<{ readonly value: Made }>()
  const finish = (value: Made): void => {
    if (done === undefined) setOpen(false)
    else setMade({ value })
    onDone?.(value)
  }
  const change = (opens: boolean): void => {
    setMade(undefined)
    setOpen(opens)
  }
  return (
    <Dialog.Root open={isOpen} onOpenChange={change}>
      <ActTrigger asks={asks} text={trigger} label={triggerLabel} look={isDangerous ? 'dangerous' : undefined} />
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>{title}</Dialog.Title>
          {made === undefined ? (
            <>
              <Dialog.Description>{about}</Dialog.Description>
              <ActForm {...props} onMade={finish} />
            </>
          ) : (
            done?.(made.value)
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
