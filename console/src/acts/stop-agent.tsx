// Stops an agent: it gets no token any more, and those that it has end with all that was got for them.
import { ACCESS } from '../../../api/values/access.ts'
import { ActDialog } from './act-dialog.tsx'
import { NoteField, noteIn, noteOptions } from './note-field.tsx'
import { turnedOff, turnedOn } from './switched.tsx'
import { administration } from '../reading/service.ts'

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
    done={({ disabled_at: since, changed }, ends) => turnedOff({ name, state: 'stopped', changed }, since, ends)}
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
    done={({ changed }) => turnedOn({ name, state: 'enabled', changed }, id)}
  />
)
