// Ends one token: at once, with a note for those who read the history later.
import { ACCESS } from '../../../api/values/access.ts'
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { ActDialog } from '../acts/act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from '../acts/note-field.tsx'
import { wasUnheard } from '../acts/open-act.ts'
import { NothingChanged, WhatEnded } from '../acts/what-ended.tsx'
import { administration } from '../reading/service.ts'
import { historyWithin } from '../acts/act-of-end.ts'
import { countByAgent } from './chosen-plan.ts'
import { planChosen } from './plan-chosen.ts'

export const EndToken = ({ token }: { readonly token: TokenRecord }) => {
  const { id, agent_id: agentId } = token
  return (
    <ActDialog
      asks={ACCESS.revokeTokens}
      look="danger"
      isDangerous
      trigger="End this token"
      title="End this token?"
      about="It and every token that was got for it are refused from the next request on. Nothing brings them back."
      submit="End it"
      agentId={agentId}
      count={async signal => {
        const { chosen, below, isExact } = await planChosen([token], signal)
        return {
          tokens: chosen.length,
          descendants: below.length,
          descendant_agents: countByAgent(below),
          exact: isExact,
        }
      }}
      fields={() => <NoteField />}
      commandOf={form => ['mintmark', 'token', 'revoke', id, ...noteOptions(form)]}
      act={form => administration.revokeTokenById({ path: { id }, body: noteIn(form) })}
      done={({ ended_at: since, changed }, ends) => ({
        title: changed || wasUnheard() ? 'The token has ended' : 'The token ended before',
        body: since !== null && (
          <>
            {!changed && <NothingChanged />}
            <WhatEnded since={since} ends={changed ? ends : undefined} history={historyWithin(since)} />
          </>
        ),
      })}
    />
  )
}
