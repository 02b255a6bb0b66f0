// Ends all tokens that match the filters, after it showed how many. Everything of one agent takes its name, typed.
import * as Dialog from '@radix-ui/react-dialog'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'
import { useAgentName } from '../reading/agent-names.ts'
import { refresh } from '../reading/refresh.ts'
import { carryOut, type Plan, planRevocation } from '../reading/revocation-plan.ts'
import { NoteField, noteOf } from './note-field.tsx'
import { commandOf, type Conditions, isWholeAgent } from './revocation-of.ts'

const count = new Intl.NumberFormat('en')

const formatTokens = ({ tokens, isExact }: Plan): string =>
  `${isExact ? '' : 'At least '}${count.format(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`

const Typed = ({ phrase, onTyped }: { readonly phrase: string; readonly onTyped: (isRight: boolean) => void }) => (
  <label>
    <span>
      Type <bdi className="mono">{phrase}</bdi>: this ends everything of the agent
    </span>
    <input autoComplete="off" spellCheck={false} onChange={event => onTyped(event.target.value === phrase)} />
  </label>
)

const AgentTyped = ({ id, onTyped }: { readonly id: string; readonly onTyped: (isRight: boolean) => void }) => (
  <Typed phrase={useAgentName(id) ?? id} onTyped={onTyped} />
)

const Confirm = ({ plan }: { readonly plan: Plan }) => {
  const queryClient = useQueryClient()
  const { conditions } = plan
  const typedFor = isWholeAgent(conditions) ? conditions.agent_id : undefined
  const [isTyped, setTyped] = useState(false)
  const ending = useMutation({
    mutationFn: (note: string) => carryOut(plan, note),
    onSettled: () => refresh(queryClient),
  })
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    ending.mutate(noteOf(event.currentTarget))
  }
  if (ending.data !== undefined) {
    return (
      <>
        <p role="status">They ended. Their records follow in the history, under revocation</p>
        <p>
          <code>{ending.data.id}</code>
        </p>
        <Command words={['mintmark', 'revocation', 'show', ending.data.id]} />
        <div className="acts">
          <Dialog.Close className="primary">Close</Dialog.Close>
        </div>
      </>
    )
  }
  return (
    <form onSubmit={send}>
      <p>
        <strong>{formatTokens(plan)}</strong> would end now, with every token that was got for them.
        {conditions.lineage !== undefined && ' The tree ends as a whole, from its root on.'} Where more match then, none
        ends.
      </p>
      {typedFor !== undefined && <AgentTyped id={typedFor} onTyped={setTyped} />}
      <NoteField />
      <Command words={commandOf(conditions)} />
      {ending.error !== null && <Fault fault={ending.error} isOfAct />}
      <div className="acts">
        <Dialog.Close disabled={ending.isPending}>Keep them</Dialog.Close>
        <button
          type="submit"
          className="danger"
          disabled={ending.isPending || plan.tokens === 0 || (typedFor !== undefined && !isTyped)}
        >
          End all of them
        </button>
      </div>
    </form>
  )
}

type EndMatchingProps = { readonly conditions: Conditions; readonly onClose: () => void }

export const EndMatching = ({ conditions, onClose }: EndMatchingProps) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['revocation-plan', conditions],
    queryFn: () => planRevocation(conditions),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>End all that match?</Dialog.Title>
          <Dialog.Description>{Object.values(conditions).join(' · ')}</Dialog.Description>
          {error !== null && <Fault fault={error} onAgain={() => void refetch()} />}
          {data === undefined ? error === null && <p className="quiet">Counting…</p> : <Confirm plan={data} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
