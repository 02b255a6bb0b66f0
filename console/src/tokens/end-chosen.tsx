// Ends the tokens that were chosen, after it showed what would end with them, and says what became of each that failed.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { DoneButton } from '../acts/act-dialog.tsx'
import { ActContext } from '../acts/draft.ts'
import { NoteField, noteIn } from '../acts/note-field.tsx'
import { useSending } from '../acts/use-sending.ts'
import { WhatEnded } from '../acts/what-ended.tsx'
import { AgentName, ShortId } from '../parts/agent-name.tsx'
import { CommandLine } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { type ChosenPlan, commandOf } from './chosen-plan.ts'
import { endEach } from './end-each.ts'
import { planChosen } from './plan-chosen.ts'
import { formatProgress, type Progress } from './progress.ts'

type CourseProps = { readonly progress: Progress; readonly isOver: boolean; readonly onStop: () => void }

const Course = ({ progress: { done, of, failures, since }, isOver, onStop }: CourseProps) => (
  <>
    <progress value={done} max={of} aria-label="Tokens that were asked for" />
    <p role="status">{formatProgress({ done, of, failures })}</p>
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

const countTokens = (count: number): string => `${count} ${count === 1 ? 'token' : 'tokens'}`

/** Counts tokens by agent, those with most tokens first. */
const byAgent = (tokens: readonly TokenRecord[]): readonly (readonly [id: string, count: number])[] => {
  const counts = new Map<string, number>()
  for (const { agent_id: id } of tokens) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

const WouldEnd = ({
  plan: { chosen, below, isExact },
  asked,
}: {
  readonly plan: ChosenPlan
  readonly asked: number
}) => (
  <>
    <p>
      <strong>{countTokens(chosen.length)}</strong> would end now
      {below.length > 0 && (
        <>
          , with{isExact ? '' : ' at least'} <strong>{below.length}</strong> that {below.length === 1 ? 'was' : 'were'}{' '}
          got for {chosen.length === 1 ? 'it' : 'them'}
        </>
      )}
      .{' '}
      {isExact
        ? 'Where more would end then, none ends.'
        : 'They are too many to be counted here: all that was got for the chosen ends with them.'}
      {chosen.length < asked && ` Of the chosen, ${asked - chosen.length} ended meanwhile.`}
    </p>
    <ul className="plan">
      {byAgent([...chosen, ...below]).map(([id, count]) => (
        <li key={id}>
          <AgentName id={id} /> <span className="quiet">{countTokens(count)}</span>
        </li>
      ))}
    </ul>
  </>
)

type ConfirmProps = {
  readonly plan: ChosenPlan
  readonly asked: number
  readonly name: string
  readonly onBegin: () => void
  readonly onDone: () => void
  readonly onAgain: () => void
}

const Confirm = ({ plan, asked, name, onBegin, onDone, onAgain }: ConfirmProps) => {
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const { sending, send, keepNote } = useSending({
    name,
    act: form => {
      stop.current = new AbortController()
      return endEach({ plan, note: noteIn(form), signal: stop.current.signal, onProgress: setProgress })
    },
    onMade: onDone,
    // It fails before the first of them is asked to end.
    outcomeOf: () => 'asked',
  })
  useEffect(() => {
    if (progress !== undefined) onBegin()
  }, [progress, onBegin])
  if (progress !== undefined)
    return <Course progress={progress} isOver={sending.isSuccess} onStop={() => stop.current?.abort()} />
  return (
    <form onSubmit={send} onChange={event => keepNote(new FormData(event.currentTarget))}>
      <WouldEnd plan={plan} asked={asked} />
      <ActContext value={name}>
        <NoteField />
      </ActContext>
      {plan.chosen.length > 0 && <CommandLine text={commandOf(plan.chosen)} />}
      {sending.error !== null && <Fault fault={sending.error} onAgain={onAgain} />}
      <div className="acts">
        <Dialog.Close disabled={sending.isPending}>Cancel</Dialog.Close>
        <button type="submit" className="danger" disabled={sending.isPending || plan.chosen.length === 0}>
          End them
        </button>
      </div>
    </form>
  )
}

type EndChosenProps = {
  readonly title: string
  readonly tokens: readonly TokenRecord[]
  /** Called before the first of them is ended. */
  readonly onBegin: () => void
}

export const EndChosen = ({ title, tokens, onBegin }: EndChosenProps) => {
  const [isDone, setDone] = useState(false)
  const query = useQuery({
    queryKey: ['chosen-plan', tokens.map(({ id }) => id)],
    queryFn: ({ signal }) => planChosen(tokens, signal),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, refetch, dataUpdatedAt } = query
  return (
    <>
      <Dialog.Title aria-live="polite">{isDone ? 'The chosen tokens were asked to end' : title}</Dialog.Title>
      <Dialog.Description>They are refused from the next request on. Nothing brings them back.</Dialog.Description>
      <Waiting query={query} />
      {data !== undefined && (
        <Confirm
          key={dataUpdatedAt}
          plan={data}
          asked={tokens.length}
          name={commandOf(tokens)}
          onBegin={onBegin}
          onDone={() => setDone(true)}
          onAgain={() => void refetch()}
        />
      )}
    </>
  )
}
