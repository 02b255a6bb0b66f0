// Ends the tokens that were chosen, after it showed what would end with them.
import * as Dialog from '@radix-ui/react-dialog'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { eachCommand } from '../acts/each-command.ts'
import { EachForm, titleOfOutcome } from '../acts/each-form.tsx'
import { AgentsHit } from '../acts/would-end.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { type ChosenPlan, countByAgent, END_CHOSEN } from './chosen-plan.ts'
import { endOne, refuseOutgrown } from './end-each.ts'
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
  /** Called with those that are left once they were asked for. */
  readonly onOver: (left: readonly string[]) => void
}

export const EndChosen = ({ title, tokens, onOver }: EndChosenProps) => {
  const [left, setLeft] = useState<readonly string[]>()
  const query = useQuery({
    queryKey: ['chosen-plan', tokens.map(({ id }) => id)],
    queryFn: ({ signal }) => planChosen(tokens, signal),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, refetch, dataUpdatedAt } = query
  const ids = data?.chosen.map(({ id }) => id) ?? []
  return (
    <>
      <Dialog.Title aria-live="polite">{titleOfOutcome(left, { title, deed: 'ended' })}</Dialog.Title>
      <Dialog.Description>They are refused from the next request on. Nothing brings them back.</Dialog.Description>
      <Waiting query={query} />
      {data !== undefined && (
        <EachForm
          key={dataUpdatedAt}
          name={END_CHOSEN}
          commandOf={options => eachCommand('mintmark token revoke', ids, options)}
          submit="End them"
          deed="ended"
          ids={ids}
          ask={endOne}
          check={signal => refuseOutgrown(data, signal)}
          onOver={rest => {
            setLeft(rest)
            onOver(rest)
          }}
          onAgain={() => void refetch()}
        >
          <WouldEnd plan={data} asked={tokens.length} />
        </EachForm>
      )}
    </>
  )
}
