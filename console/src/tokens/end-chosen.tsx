// Ends the tokens that were chosen, after it showed what would end with them.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { EachForm } from '../acts/each-form.tsx'
import { AgentsHit } from '../acts/would-end.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { type ChosenPlan, commandOf, countByAgent } from './chosen-plan.ts'
import { endEach } from './end-each.ts'
import { planChosen } from './plan-chosen.ts'

const countTokens = (count: number): string => `${count} ${count === 1 ? 'token' : 'tokens'}`

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
    <AgentsHit of={countByAgent([...chosen, ...below])} />
  </>
)

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
        <EachForm
          key={dataUpdatedAt}
          name={commandOf(tokens)}
          command={commandOf(data.chosen)}
          submit="End them"
          deed="ended"
          isEmpty={data.chosen.length === 0}
          act={each => endEach(data, each)}
          onBegin={onBegin}
          onDone={() => setDone(true)}
          onAgain={() => void refetch()}
        >
          <WouldEnd plan={data} asked={tokens.length} />
        </EachForm>
      )}
    </>
  )
}
