// Ends the tokens that were chosen, after it showed what would end with them.
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { type ChosenProps, EachDialog } from '../acts/each-dialog.tsx'
import { AgentsHit } from '../acts/would-end.tsx'
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

export const EndChosen = ({ tokens, ...asked }: ChosenProps & { readonly tokens: readonly TokenRecord[] }) => (
  <EachDialog
    {...asked}
    name={END_CHOSEN}
    about="They are refused from the next request on. Nothing brings them back."
    submit="End them"
    deed="ended"
    command="mintmark token revoke"
    chosen={tokens.map(({ id }) => id)}
    makePlan={signal => planChosen(tokens, signal)}
    describePlan={plan => <WouldEnd plan={plan} asked={tokens.length} />}
    idsOf={({ chosen }) => chosen.map(({ id }) => id)}
    ask={endOne}
    check={refuseOutgrown}
  />
)
