// Ends the tokens that were chosen, after it showed what would end with them, and says what became of each that failed.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { AgentName, ShortId } from '../parts/agent-name.tsx'
import { CommandLine } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { refresh } from '../reading/refresh.ts'
import type { Selection } from '../reading/selection.ts'
import type { ChosenPlan } from './chosen-plan.ts'
import { endEach } from './end-each.ts'
import { NoteField, noteOf } from './note-field.tsx'
import { planChosen } from './plan-chosen.ts'
import { formatProgress, type Progress } from './progress.ts'

const Course = ({ progress: { done, of, failures } }: { readonly progress: Progress }) => (
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
    <div className="acts">
      <Dialog.Close className={done === of ? 'primary' : undefined}>{done === of ? 'Close' : 'Stop here'}</Dialog.Close>
    </div>
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

/** Returns the shell command: each id holds letters, digits and hyphens only. */
const commandOf = ([first, ...more]: readonly TokenRecord[]): string =>
  more.length === 0
    ? `mintmark token revoke ${first?.id ?? ''}`
    : `for id in ${[first, ...more].map(token => token?.id).join(' ')}; do mintmark token revoke "$id" --yes; done`

type ConfirmProps = {
  readonly plan: ChosenPlan
  readonly asked: number
  readonly onBegin: () => void
  readonly onAgain: () => void
}

const Confirm = ({ plan, asked, onBegin, onAgain }: ConfirmProps) => {
  const queryClient = useQueryClient()
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const ending = useMutation({
    mutationFn: (note: string) => {
      stop.current = new AbortController()
      return endEach({ plan, note, signal: stop.current.signal, onProgress: setProgress })
    },
    onSettled: () => refresh(queryClient),
  })
  if (progress !== undefined) return <Course progress={progress} />
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    onBegin()
    ending.mutate(noteOf(event.currentTarget))
  }
  return (
    <form onSubmit={send}>
      <WouldEnd plan={plan} asked={asked} />
      <NoteField />
      {plan.chosen.length > 0 && <CommandLine text={commandOf(plan.chosen)} />}
      {ending.error !== null && <Fault fault={ending.error} onAgain={onAgain} />}
      <div className="acts">
        <Dialog.Close>Keep them</Dialog.Close>
        <button type="submit" className="danger" disabled={ending.isPending || plan.chosen.length === 0}>
          End them
        </button>
      </div>
    </form>
  )
}

type EndChosenProps = { readonly selection: Selection<TokenRecord>; readonly onClose: () => void }

export const EndChosen = ({ selection, onClose }: EndChosenProps) => {
  // The table may be read anew meanwhile; what was chosen stays what it was.
  const [tokens] = useState(() => [...selection.chosen.values()])
  const isBegun = useRef(false)
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['chosen-plan', tokens.map(({ id }) => id)],
    queryFn: ({ signal }) => planChosen(tokens, signal),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const close = (): void => {
    if (isBegun.current) selection.clear()
    onClose()
  }
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>End {countTokens(tokens.length)}?</Dialog.Title>
          <Dialog.Description>They are refused from the next request on. Nothing brings them back.</Dialog.Description>
          {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
          {data === undefined ? (
            error === null && <p className="quiet">Counting…</p>
          ) : (
            <Confirm
              key={dataUpdatedAt}
              plan={data}
              asked={tokens.length}
              onBegin={() => {
                isBegun.current = true
              }}
              onAgain={() => void refetch()}
            />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
