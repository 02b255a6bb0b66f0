// Ends all tokens that match the filters, after it showed how many. Everything of one agent takes its name, typed.
import { useQuery } from '@tanstack/react-query'
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'
import { Act, type Done } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { WhatEnded } from '../acts/what-ended.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { Waiting } from '../parts/waiting.tsx'
import { carryOut, type Plan, planRevocation } from './revocation-plan.ts'
import { administration } from '../reading/service.ts'
import { commandOf, type Conditions, formatConditions, isWholeAgent } from './revocation-of.ts'

const FOLLOW_MS = 1_000

const formatTokens = (tokens: number, isExact: boolean): string =>
  `${isExact ? '' : 'At least '}${formatNumber(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`

type AboutProps = { readonly conditions: Conditions; readonly plan: Plan | undefined }

const About = ({ conditions, plan }: AboutProps) => {
  const name = plan?.agentName
  return (
    <>
      <p>{formatConditions(name === undefined ? conditions : { ...conditions, agent_id: name })}</p>
      {plan !== undefined && (
        <p>
          <strong>{formatTokens(plan.tokens, plan.isExact)}</strong> would end now, with every token that was got for
          them.
          {conditions.lineage !== undefined && ' The tree ends as a whole, from its root on.'}
        </p>
      )}
    </>
  )
}

const isOutgrown = (fault: unknown): boolean => fault instanceof ApiRefused && fault.error === 'plan_outdated'

const Fields = () => (
  <>
    <label className="check">
      <input type="checkbox" name="newer" />
      Also those that are issued until then: without it none ends where more match by then
    </label>
    <NoteField />
  </>
)

/** They are dead at once; the records of many follow within seconds, and are counted as they do. */
const Moved = ({ id, since }: { readonly id: string; readonly since: string }) => {
  const { data } = useQuery({
    queryKey: ['revocation', id],
    queryFn: ({ signal }) => administration.showRevocation({ path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'closed' ? false : FOLLOW_MS),
  })
  return (
    <>
      <p>
        {data === undefined
          ? 'All that matched ended. Their records follow in the history.'
          : `${formatTokens(data.tokens_moved, data.state === 'closed')} ended.`}
      </p>
      <WhatEnded since={since} history={{ revocation_id: id }} />
    </>
  )
}

const doneWith = ({ id, created_at: since }: { readonly id: string; readonly created_at: string }): Done => ({
  title: 'All that matched have ended',
  body: <Moved id={id} since={since} />,
})

export const EndMatching = ({ title, conditions }: { readonly title: string; readonly conditions: Conditions }) => {
  const query = useQuery({
    queryKey: ['revocation-plan', conditions],
    queryFn: () => planRevocation(conditions),
    // A plan is of the moment in which it was asked for.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: plan, refetch } = query
  const agentId = isWholeAgent(conditions) ? conditions.agent_id : undefined
  const end = async (form: FormData) => {
    if (plan === undefined) throw new Error('What would end is not counted yet.')
    try {
      return await carryOut(plan, { isOpen: form.has('newer'), ...noteIn(form) })
    } catch (fault) {
      if (!isOutgrown(fault)) throw fault
      await refetch()
      throw new Error('More match by now, and none ended. They were counted again.', { cause: fault })
    }
  }
  return (
    <Act
      title={title}
      about={
        <>
          <About conditions={conditions} plan={plan} />
          <Waiting query={query} />
        </>
      }
      submit="End all of them"
      isDangerous
      isReady={plan !== undefined && plan.tokens > 0}
      typed={agentId === undefined ? undefined : (plan?.agentName ?? agentId)}
      fields={() => <Fields />}
      commandOf={form => [...commandOf(conditions), ...noteOptions(form)]}
      act={end}
      done={doneWith}
    />
  )
}
