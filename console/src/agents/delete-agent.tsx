// Deletes an agent for good: with its name typed, and a note for those who read the audit log.
import { ACCESS } from '../../../api/values/access.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { changeQuery } from '../address.ts'
import { ActDialog } from '../parts/act-dialog.tsx'
import { textIn } from '../parts/form-fields.tsx'
import { OPEN } from '../parts/panel.tsx'
import { administration } from '../reading/service.ts'
import { NoteField, noteOptions } from '../tokens/note-field.tsx'

export const DeleteAgent = ({ agent: { agent_id: id, name } }: { readonly agent: AgentRecord }) => (
  <ActDialog
    asks={ACCESS.writeAgents}
    isDangerous
    trigger="Delete"
    triggerLabel={`Delete ${name}`}
    title={`Delete ${name}?`}
    about="It is gone for good, its credentials too. All its tokens end now, with everything that was got for them; the history keeps them."
    submit="Delete it"
    keep="Keep it"
    typed={name}
    fields={() => <NoteField />}
    commandOf={form => ['mintmark', 'agent', 'delete', id, ...noteOptions(form)]}
    act={form => {
      const note = textIn(form, 'note')
      return administration.deleteAgent({ path: { id }, query: { ...(note !== '' && { note }) } })
    }}
    onDone={() => changeQuery(OPEN, null)}
  />
)
