// Above the live tokens: ends those that were chosen, or all that match the filters.
import { lazy } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { openAct } from '../acts/open-act.ts'
import type { Query } from '../reading/page.ts'
import { RoleContext, useRole } from '../reading/role.ts'
import type { Selection } from '../reading/selection.ts'
import { CHOSEN_MAX, type ChosenAct, ChosenBar } from '../lists/chosen-bar.tsx'
import { END_CHOSEN } from './chosen-plan.ts'
import { commandOf as commandOfConditions, conditionsOf } from './revocation-of.ts'

const EndChosen = lazy(async () => ({ default: (await import('./end-chosen.tsx')).EndChosen }))
const EndMatching = lazy(async () => ({ default: (await import('./end-matching.tsx')).EndMatching }))

type EndManyProps = {
  readonly query: Query
  readonly rows: readonly TokenRecord[]
  readonly selection: Selection<TokenRecord>
}

const END_MATCHING = 'End all that match?'

const endChosen = (tokens: readonly TokenRecord[]): ChosenAct => {
  const title = `End ${tokens.length} ${tokens.length === 1 ? 'token' : 'tokens'}?`
  return {
    title,
    name: END_CHOSEN,
    content: onOver => <EndChosen title={title} tokens={tokens} onOver={onOver} />,
  }
}

export const EndMany = ({ query, rows, selection }: EndManyProps) => {
  const role = useRole()
  const conditions = conditionsOf(query)
  const isFiltered = Object.keys(query).length > 0
  return (
    <div className="many">
      <ChosenBar
        selection={selection}
        hint="Choose rows by their boxes or the space bar to end several."
        submit="End them"
        tooMany={`At most ${CHOSEN_MAX} end so: filter, and end all that match.`}
        actOn={endChosen}
      />
      {isFiltered &&
        rows.length > 0 &&
        (conditions === undefined ? (
          <span className="quiet">
            All that match can end together by agent, owner, label, credential, scope, audience, signing key, tree,
            subject of an issuer and time of issue alone.
          </span>
        ) : (
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() =>
              openAct({
                title: END_MATCHING,
                name: commandOfConditions(conditions).join(' '),
                content: (
                  <RoleContext value={role}>
                    <EndMatching title={END_MATCHING} conditions={conditions} />
                  </RoleContext>
                ),
              })
            }
          >
            End all that match
          </button>
        ))}
    </div>
  )
}
