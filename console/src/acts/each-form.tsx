// The form of an act on each of the chosen: what it would do, why, and then how far it is and what became of each that failed.
import * as Dialog from '@radix-ui/react-dialog'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { auditWithin, historyWithin } from './act-of-end.ts'
import { ShortId } from '../parts/agent-name.tsx'
import { CommandLine } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { DoneButton } from './act-dialog.tsx'
import { ActContext, draftForm } from './draft.ts'
import { type Asked, askEach } from './ask-each.ts'
import { NoteField, noteIn, noteOptions } from './note-field.tsx'
import { type Outcome, setProgressText } from './open-act.ts'
import { formatProgress, type Progress, triedOf } from './progress.ts'
import { useSending } from './use-sending.ts'
import { WhatEnded } from './what-ended.tsx'

type CourseProps = {
  readonly progress: Progress
  readonly deed: string
  readonly isOver: boolean
  /** Why those that are left were not asked for again. */
  readonly fault: Error | null
  readonly onStop: () => void
  /** Asks for those that are left. */
  readonly onRest: () => void
  /** Plans anew. */
  readonly onAgain: () => void
}

const Course = ({ progress, deed, isOver, fault, onStop, onRest, onAgain }: CourseProps) => {
  const { of, failures, since, until = since, left } = progress
  return (
    <>
      <progress value={triedOf(progress)} max={of} aria-label="Those that were asked for" />
      <p role="status">{formatProgress(progress, deed, isOver)}</p>
      {failures.length > 0 && (
        <ul className="failures">
          {failures.map(({ id, message }) => (
            <li key={id}>
              <ShortId id={id} /> {message}
            </li>
          ))}
        </ul>
      )}
      {isOver && since !== undefined && until !== undefined && (
        <WhatEnded since={since} history={historyWithin(since, until)} audit={auditWithin(since, until)} />
      )}
      {fault !== null && <Fault fault={fault} onAgain={onAgain} />}
      {isOver && fault === null && left.length > 0 && (
        <button type="button" className="danger" onClick={onRest}>
          Try again for {left.length === 1 ? 'the one' : `the ${left.length}`} left
        </button>
      )}
      {isOver ? (
        <DoneButton />
      ) : (
        <div className="acts">
          <button type="button" onClick={onStop}>
            Stop here
          </button>
        </div>
      )}
    </>
  )
}

export type EachFormProps = {
  /** What would be done. */
  readonly children: ReactNode
  /** The name of the act, by which its note is kept. */
  readonly name: string
  /** The shell command that does the same, with these options. */
  readonly commandOf: (options: readonly string[]) => string
  readonly submit: string
  /** `ended`, as in `3 of 4 ended`. */
  readonly deed: string
  readonly ids: readonly string[]
  readonly ask: (id: string, note: { readonly note?: string }) => Promise<Asked>
  /** Throws where none may be asked for. */
  readonly check: (signal: AbortSignal) => Promise<void>
  /** Called with those that are left. */
  readonly onOver: (left: readonly string[]) => void
  /** Plans anew. */
  readonly onAgain: () => void
}

/** A refusal is an answer: only failures without one make the outcome unknown. */
const outcomeOf = ({ left, done, failures }: Progress): Outcome => {
  if (left.length > 0 && failures.some(({ isRefused }) => !isRefused)) return 'unknown'
  return left.length > 0 && done === 0 ? 'asked' : 'done'
}

export const EachForm = (props: EachFormProps) => {
  const { children, name, commandOf, submit, deed, ids, ask, check, onOver, onAgain } = props
  const [form, setForm] = useState(() => draftForm(name))
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const onProgress = (far: Progress): void => {
    setProgress(far)
    setProgressText(formatProgress(far, deed, true))
  }
  const { sending, send, sendForm, keepNote } = useSending({
    name,
    act: async sent => {
      const { signal } = (stop.current = new AbortController())
      setForm(sent)
      await check(signal)
      const note = noteIn(sent)
      return askEach({ ids, ask: id => ask(id, note), signal, onProgress, earlier: progress })
    },
    onMade: ({ left }) => onOver(left),
    outcomeOfMade: outcomeOf,
    // It fails before the first of those that are left is asked for.
    outcomeOf: () => (progress === undefined ? 'asked' : outcomeOf(progress)),
  })
  if (progress !== undefined)
    return (
      <Course
        progress={progress}
        deed={deed}
        isOver={!sending.isPending}
        fault={sending.error}
        onStop={() => stop.current?.abort()}
        onRest={() => sendForm(form)}
        onAgain={onAgain}
      />
    )
  const isEmpty = ids.length === 0
  const change = (event: FormEvent<HTMLFormElement>): void => {
    const changed = new FormData(event.currentTarget)
    setForm(changed)
    keepNote(changed)
  }
  return (
    <form onSubmit={send} onChange={change}>
      {children}
      <ActContext value={name}>
        <NoteField />
      </ActContext>
      {!isEmpty && <CommandLine text={commandOf(noteOptions(form))} />}
      {sending.error !== null && <Fault fault={sending.error} onAgain={onAgain} />}
      <div className="acts">
        <Dialog.Close disabled={sending.isPending}>Cancel</Dialog.Close>
        <button type="submit" className="danger" disabled={sending.isPending || isEmpty}>
          {submit}
        </button>
      </div>
    </form>
  )
}
