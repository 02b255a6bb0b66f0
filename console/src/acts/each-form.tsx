// The form of an act on each of the chosen: what it would do, why, and then how far it is and what became of each that failed.
import * as Dialog from '@radix-ui/react-dialog'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ShortId } from '../parts/agent-name.tsx'
import { CommandLine } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { DoneButton } from './act-dialog.tsx'
import { ActContext } from './draft.ts'
import { NoteField, noteIn } from './note-field.tsx'
import { formatProgress, type Progress } from './progress.ts'
import { useSending } from './use-sending.ts'
import { WhatEnded } from './what-ended.tsx'

type CourseProps = {
  readonly progress: Progress
  readonly deed: string
  readonly isOver: boolean
  readonly onStop: () => void
}

const Course = ({ progress, deed, isOver, onStop }: CourseProps) => {
  const { done, of, failures, since } = progress
  return (
    <>
      <progress value={done} max={of} aria-label="Those that were asked for" />
      <p role="status">{formatProgress(progress, deed)}</p>
      {failures.length > 0 && (
        <ul className="failures">
          {failures.map(({ id, message }) => (
            <li key={id}>
              <ShortId id={id} /> {message}
            </li>
          ))}
        </ul>
      )}
      {isOver && since !== undefined && <WhatEnded since={since} history={{ ended_after: since }} />}
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

/** What the act on each is given. */
export type Each = {
  readonly note: { readonly note?: string }
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

type EachFormProps = {
  /** What would be done. */
  readonly children: ReactNode
  /** The name of the act, by which its note is kept. */
  readonly name: string
  /** The shell command that does the same. */
  readonly command: string
  readonly submit: string
  /** `ended`, as in `3 of 4 ended`. */
  readonly deed: string
  readonly isEmpty: boolean
  readonly act: (each: Each) => Promise<void>
  /** Called before the first of them is asked for. */
  readonly onBegin: () => void
  readonly onDone: () => void
  /** Plans anew. */
  readonly onAgain: () => void
}

export const EachForm = (props: EachFormProps) => {
  const { children, name, command, submit, deed, isEmpty, act, onBegin, onDone, onAgain } = props
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const { sending, send, keepNote } = useSending({
    name,
    act: form => {
      stop.current = new AbortController()
      return act({ note: noteIn(form), signal: stop.current.signal, onProgress: setProgress })
    },
    onMade: onDone,
    // It fails before the first of them is asked for.
    outcomeOf: () => 'asked',
  })
  useEffect(() => {
    if (progress !== undefined) onBegin()
  }, [progress, onBegin])
  if (progress !== undefined)
    return <Course progress={progress} deed={deed} isOver={sending.isSuccess} onStop={() => stop.current?.abort()} />
  return (
    <form onSubmit={send} onChange={event => keepNote(new FormData(event.currentTarget))}>
      {children}
      <ActContext value={name}>
        <NoteField />
      </ActContext>
      {!isEmpty && <CommandLine text={command} />}
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
