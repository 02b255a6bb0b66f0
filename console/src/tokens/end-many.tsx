// Above the live tokens: ends those that were chosen, or all that match the filters.
import { lazy, useState } from 'react'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { Later } from '../parts/later.tsx'
import type { Query } from '../reading/page.ts'
import type { Selection } from '../reading/selection.ts'
import { CHOSEN_MAX } from './chosen-plan.ts'
import { conditionsOf } from './revocation-of.ts'

const EndChosen = lazy(async () => ({ default: (await import('./end-chosen.tsx')).EndChosen }))
const EndMatching = lazy(async () => ({ default: (await import('./end-matching.tsx')).EndMatching }))

type EndManyProps = {
  readonly query: Query
  readonly rows: readonly TokenRecord[]
  readonly selection: Selection<TokenRecord>
}

export const EndMany = ({ query, rows, selection }: EndManyProps) => {
  const [open, setOpen] = useState<'chosen' | 'matching'>()
  const conditions = conditionsOf(query)
  const close = (): void => setOpen(undefined)
  const chosen = selection.chosen.size
  const isFiltered = Object.keys(query).length > 0
  return (
    <div className="many">
      {chosen === 0 ? (
        <span className="quiet">Choose rows by their boxes or the space bar to end several.</span>
      ) : (
        <>
          <span role="status">{chosen} chosen</span>
          {chosen <= CHOSEN_MAX ? (
            <button type="button" className="danger" onClick={() => setOpen('chosen')}>
              End them
            </button>
          ) : (
            <span className="quiet">At most {CHOSEN_MAX} end so: filter, and end all that match.</span>
          )}
          <button type="button" onClick={selection.clear}>
            Choose none
          </button>
        </>
      )}
      {isFiltered && rows.length > 0 && conditions !== undefined && (
        <button type="button" onClick={() => setOpen('matching')}>
          End all that match
        </button>
      )}
      {isFiltered && conditions === undefined && (
        <span className="quiet">All that match can end together by agent, scope, tree and time of issue alone.</span>
      )}
      <Later>
        {open === 'chosen' && <EndChosen selection={selection} onClose={close} />}
        {open === 'matching' && conditions !== undefined && <EndMatching conditions={conditions} onClose={close} />}
      </Later>
    </div>
  )
}
