// An act on signing keys behind a question: what it does, why it is done, and the command that does the same.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import { ActTrigger } from '../parts/act-trigger.tsx'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { refresh } from '../reading/refresh.ts'
import { NoteField, noteOf } from '../tokens/note-field.tsx'

export type Asked = { readonly force?: true; readonly note?: string }

type ChangeKeyProps = {
  /** The text of the button that opens the question. */
  readonly verb: string
  /** The text of the button that confirms it. */
  readonly confirm: string
  readonly isDangerous?: true
  readonly title: string
  readonly consequence: ReactNode
  /** What must be typed before it is done. */
  readonly phrase?: string
  /** Whether it may be done at once, before verifiers know the key that follows. */
  readonly canForce?: true
  readonly words: readonly string[]
  readonly run: (asked: Asked) => Promise<{ readonly warning: string | null }>
}

const Typed = ({ phrase, onTyped }: { readonly phrase: string; readonly onTyped: (isTyped: boolean) => void }) => (
  <label>
    Type {phrase} to go on
    <input
      name="typed"
      autoComplete="off"
      spellCheck={false}
      onChange={event => onTyped(event.target.value.trim() === phrase)}
    />
  </label>
)

const Force = () => (
  <label className="inline">
    <input type="checkbox" name="force" />
    At once, although verifiers that keep the key set may refuse new tokens for some minutes
  </label>
)

const askedIn = (form: HTMLFormElement): Asked => {
  const note = noteOf(form)
  return { ...(new FormData(form).has('force') && { force: true as const }), ...(note !== '' && { note }) }
}

type FormProps = Omit<ChangeKeyProps, 'title'> & { readonly onDone: (warning: string | null) => void }

const ChangeForm = ({ confirm, isDangerous, consequence, phrase, canForce, words, run, onDone }: FormProps) => {
  const queryClient = useQueryClient()
  const [isTyped, setTyped] = useState(phrase === undefined)
  const changing = useMutation({
    mutationFn: run,
    onSuccess: ({ warning }) => onDone(warning),
    onSettled: () => refresh(queryClient),
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    changing.mutate(askedIn(event.currentTarget))
  }
  return (
    <form onSubmit={send}>
      <p>{consequence}</p>
      {phrase !== undefined && <Typed phrase={phrase} onTyped={setTyped} />}
      {canForce === true && <Force />}
      <NoteField />
      <Command words={words} />
      {changing.error !== null && <Fault fault={changing.error} isOfAct />}
      <div className="acts">
        <Dialog.Close disabled={changing.isPending}>Leave it as it is</Dialog.Close>
        <button
          type="submit"
          className={isDangerous === true ? 'danger' : 'primary'}
          disabled={changing.isPending || !isTyped}
        >
          {confirm}
        </button>
      </div>
    </form>
  )
}

export const ChangeKey = ({ title, ...form }: ChangeKeyProps) => {
  const [isOpen, setOpen] = useState(false)
  const [warning, setWarning] = useState<string | null>(null)
  const done = (said: string | null): void => {
    setWarning(said)
    setOpen(false)
  }
  return (
    <>
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <ActTrigger asks={ACCESS.writeKeys} text={form.verb} look={form.isDangerous === true ? 'danger' : undefined} />
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="dialog" aria-describedby={undefined}>
            <Dialog.Title>{title}</Dialog.Title>
            <ChangeForm {...form} onDone={done} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      {warning !== null && <p role="status">{warning}</p>}
    </>
  )
}
