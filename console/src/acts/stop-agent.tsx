// Stops an agent: it gets no token any more, and those that it has end with all that was got for them.
import { ACCESS } from '../../../api/values/access.ts'
import { ActDialog } from './act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from './note-field.tsx'
import { wasUnheard } from './open-act.ts'
import { NothingChanged, TheAct, WhatEnded } from './what-ended.tsx'
import { administration } from '../reading/service.ts'
import { historyWithin } from './act-of-end.ts'

type EnableAgentProps = { readonly id: string; readonly name: string }

type StopAgentProps = EnableAgentProps & { readonly look?: 'danger' | 'dangerous'; readonly trigger?: string }

export const StopAgent = ({ id, name, look = 'danger', trigger = 'Stop' }: StopAgentProps) => (
  <ActDialog
    asks={ACCESS.stopAgents}
    look={look}
    isDangerous
    trigger={trigger}
    triggerLabel={`${trigger} ${name}`}
    title={`Stop ${name}?`}
    about="It gets no token until an administrator enables it again. All its tokens end now, with everything that was got for them; they do not come back."
    submit="Stop it"
    agentId={id}
    count={async signal => (await administration.disableAgent({ path: { id }, body: { dry_run: true }, signal })).ends}
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'agent', 'disable', id, ...noteOptions(form)]}
    act={form => administration.disableAgent({ path: { id }, body: noteIn(form) })}
    done={({ disabled_at: since, changed }, ends) => ({
      title: changed || wasUnheard() ? `${name} is stopped` : `${name} was stopped before`,
      body: since !== null && (
        <>
          {!changed && <NothingChanged />}
          <WhatEnded since={since} ends={changed ? ends : undefined} history={historyWithin(since)} />
        </>
      ),
    })}
  />
)

export const EnableAgent = ({ id, name }: EnableAgentProps) => (
  <ActDialog
    asks={ACCESS.writeAgents}
    trigger="Enable"
    triggerLabel={`Enable ${name}`}
    title={`Enable ${name}?`}
    about="It gets tokens again. Those that ended do not come back."
    submit="Enable it"
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'agent', 'enable', id, ...noteOptions(form)]}
    act={form => administration.enableAgent({ path: { id }, body: noteIn(form) })}
    done={({ changed }) => ({
      title: changed || wasUnheard() ? `${name} is enabled` : `${name} was enabled before`,
      body: (
        <>
          {!changed && <NothingChanged />}
          <TheAct subject={id} />
        </>
      ),
    })}
  />
)
