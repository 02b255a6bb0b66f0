// In this folder: dialogs of acts: what an act would end, its form, its outcome. The service decides who may do it.
// An act in a dialog: what it does and would end, its form, the command that does the same, and what came of it.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Access } from '../../../api/values/access.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { RoleContext, useRole } from '../reading/role.ts'
import { ActTrigger } from './act-trigger.tsx'
import { ActContext, draftForm } from './draft.ts'
import { openAct } from './open-act.ts'
import { useSending } from './use-sending.ts'
import { type Ends, WouldEnd } from './would-end.tsx'

/** A runaway agent gets more while the question stands. */
const COUNT_AGAIN_MS = 5_000

export type Done = {
  /** What happened: no question any more. */
  readonly title: string
  readonly body?: ReactNode
  /** The body has the buttons that close the dialog. */
  readonly isClosedByBody?: true
}

export type ActProps<Made> = {
  readonly title: string
  readonly about: ReactNode
  readonly submit: string
  readonly isDangerous?: boolean
  /** False while what it needs is not there yet. */
  readonly isReady?: boolean
  /** Something that must be typed exactly before it can be sent. */
  readonly typed?: string | undefined
  /** Counts what it would end. The act does not wait for it. */
  readonly count?: (signal: AbortSignal) => Promise<Ends>
  /** The agent whose tokens end. */
  readonly agentId?: string
  readonly fields?: (form: FormData) => ReactNode
  readonly commandOf: (form: FormData) => readonly string[]
  readonly act: (form: FormData) => Promise<Made>
  readonly done: (made: Made, ends: Ends | undefined) => Done
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

/** What the act is called among others: its command, before anything was typed. */
const nameOf = (commandOf: ActProps<unknown>['commandOf']): string => commandOf(new FormData()).join(' ')

type FormProps<Made> = Pick<
  ActProps<Made>,
  'submit' | 'isDangerous' | 'isReady' | 'typed' | 'fields' | 'commandOf' | 'act'
> & { readonly onMade: (made: Made) => void }

const ActForm = <Made,>(props: FormProps<Made>) => {
  const { submit, isDangerous = false, isReady = true, typed, fields, commandOf, act, onMade } = props
  const name = nameOf(commandOf)
  const [form, setForm] = useState(() => draftForm(name))
  const [isTyped, setTyped] = useState(false)
  const { sending, send, keepNote } = useSending({ name, act, onMade })
  const change = (event: FormEvent<HTMLFormElement>): void => {
    const changed = new FormData(event.currentTarget)
    setForm(changed)
    keepNote(changed)
  }
  const isBlocked = !isReady || (typed !== undefined && !isTyped)
  return (
    <form onSubmit={send} onChange={change}>
      <ActContext value={name}>{fields?.(form)}</ActContext>
      {typed !== undefined && <Typed phrase={typed} onTyped={setTyped} />}
      <Command words={commandOf(form)} />
      {sending.error !== null && <Fault fault={sending.error} isOfAct />}
      <p role="status" className="quiet">
        {sending.isPending && 'It is being sent…'}
      </p>
      <div className="acts">
        <Dialog.Close disabled={sending.isPending}>Cancel</Dialog.Close>
        <button
          type="submit"
          className={isDangerous ? 'danger' : 'primary'}
          disabled={isBlocked}
          aria-disabled={sending.isPending}
        >
          {submit}
        </button>
      </div>
    </form>
  )
}

const useEnds = ({ count, commandOf }: Pick<ActProps<unknown>, 'count' | 'commandOf'>, isAsked: boolean) =>
  useQuery({
    queryKey: ['would-end', nameOf(commandOf)],
    queryFn: ({ signal }) => count?.(signal),
    enabled: count !== undefined && isAsked,
    refetchInterval: COUNT_AGAIN_MS,
    retry: false,
    // Not cached: a count holds only for the moment at which it was made.
    gcTime: 0,
  })

/** What the open dialog shows. */
export const Act = <Made,>(props: ActProps<Made>) => {
  const { title, about, count, agentId, done, onDone } = props
  const [made, setMade] = useState<Done>()
  const { data: ends, isError } = useEnds(props, made === undefined)
  const finish = (value: Made): void => {
    setMade(done(value, ends))
    onDone?.(value)
  }
  return (
    <>
      <Dialog.Title aria-live="polite">{made?.title ?? title}</Dialog.Title>
      <div role="status">{made?.body}</div>
      {made === undefined ? (
        <>
          <Dialog.Description asChild>
            <div>{about}</div>
          </Dialog.Description>
          {count !== undefined && <WouldEnd ends={ends} isUncounted={isError} agentId={agentId} />}
          <ActForm {...props} onMade={finish} />
        </>
      ) : (
        made.isClosedByBody !== true && <DoneButton />
      )}
    </>
  )
}

/** The second click of two is meant for what stood there before. */
const CLICK_AGAIN_MS = 400

/** It has the focus, so that the answer is heard and Enter closes it. */
export const DoneButton = ({ isDisabled = false }: { readonly isDisabled?: boolean }) => {
  const shownAt = useRef(0)
  useEffect(() => {
    shownAt.current = performance.now()
  }, [])
  const click = (event: MouseEvent): void => {
    if (performance.now() - shownAt.current < CLICK_AGAIN_MS && event.detail > 1) event.preventDefault()
  }
  return (
    <div className="acts">
      <Dialog.Close className="primary" autoFocus disabled={isDisabled} onClick={click}>
        Done
      </Dialog.Close>
    </div>
  )
}

type ActDialogProps<Made> = ActProps<Made> & {
  readonly asks: Access
  /** The text of the button that opens it. */
  readonly trigger: string
  /** The label for screen readers, where several buttons have the same text. */
  readonly triggerLabel?: string
  readonly look?: 'danger' | 'dangerous' | 'primary'
}

/** The button of an act. */
export const ActDialog = <Made,>({ asks, trigger, triggerLabel, look, ...act }: ActDialogProps<Made>) => {
  const role = useRole()
  const open = (): void =>
    openAct({
      title: act.title,
      name: nameOf(act.commandOf),
      // The dialog stands beside the screens.
      content: (
        <RoleContext value={role}>
          <Act {...act} />
        </RoleContext>
      ),
    })
  return (
    <ActTrigger
      asks={asks}
      text={trigger}
      label={triggerLabel}
      look={look ?? (act.isDangerous === true ? 'dangerous' : undefined)}
      onOpen={open}
    />
  )
}
